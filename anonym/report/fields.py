"""The fields of `anonym.evidence/1`, each with its meaning; the shipped JSON Schema is made from these types.

Everywhere null means not measured or not applicable, never 0. No field holds a value of the data, except labels of
groups that at least k units share in the release.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired, TypedDict

from anonym.report.schema import Pattern, Within

Count = Annotated[int, Within(0)]
Share = Annotated[float, Within(0, 1)]
Amount = Annotated[float, Within(0)]
Digest = Annotated[str, Pattern("[0-9a-f]{64}")]
Level = Annotated[int, Within(0)]
Counted = Literal["rows", "units", "profiles"]


class Verdict(TypedDict):
    """What the run came to."""

    holds: Annotated[bool | None, "every promise holds and every check held; null: there was nothing to judge"]
    draft: Annotated[bool, "nobody has reviewed the policy"]
    sentence: Annotated[str, "the verdict in words; begins with `Draft policy, not reviewed` where that is so"]
    reasons: Annotated[list[str], "why it does not hold; empty where it does"]


class Review(TypedDict):
    """Who answers for the policy."""

    by: str
    date: Annotated[str, "ISO 8601"]


class PolicyFacts(TypedDict):
    """Which policy was applied."""

    name: str
    sha256: Annotated[Digest, "of the canonical JSON of the policy"]
    reviewed: Review | None


class ThreatModel(TypedDict):
    """What the policy says of the attacker: declared, not measured."""

    attacker: NotRequired[str]
    auxiliary: NotRequired[str]
    exposure: NotRequired[str]


class Input(TypedDict):
    """The table that went in; null where it was not at hand, as when a release is checked alone."""

    rows: Count | None
    units: Annotated[Count | None, "distinct units, null ones together one; null without a unit"]
    digest: Annotated[Digest | None, "HMAC of the sorted class table under the policy's key; null without a key"]
    unit: NotRequired[Annotated[str | None, "the column that names the unit"]]
    paths: NotRequired[Annotated[list[str], "file names, without folders"]]
    held_out_rows: NotRequired[Annotated[Count, "rows split off before, as a control of the attacks; not in `rows`"]]
    held_out_units: NotRequired[Annotated[Count | None, "their units; null without a unit"]]
    excluded_rows: NotRequired[Annotated[Count, "rows of units who withdrew, left out before; not in `rows`"]]
    excluded_units: NotRequired[Annotated[Count, "units who withdrew and were in the input"]]


class Batch(TypedDict):
    """The files released before, together with which guarantee, classes and risk were measured."""

    kind: Literal["union"]
    files: Count
    rows: Annotated[Count, "their rows, without masked ones"]
    sha256: list[Digest]


class Output(TypedDict):
    """The release, as written; for a refused run the rejected file, null where none was written."""

    rows: Count | None
    units: Count | None
    digest: Annotated[Digest | None, "SHA-256 of the sorted class table: QI values, counts, sensitive histograms"]
    paths: NotRequired[Annotated[list[str], "file names, without folders"]]
    order: NotRequired[Literal["shuffle", "keep"]]


Role = Literal["quasi", "sensitive", "identifier", "text", "keep", "drop"]


class TreeNode(TypedDict):
    """A group of a hierarchy that at least k units share in the release."""

    label: Annotated[str | None, "null: the null value"]
    level: Level
    below: NotRequired[list[TreeNode]]
    more: NotRequired[Annotated[Count, "groups below it that are not shown: rarer, or beyond the 40 most frequent"]]


class Tree(TypedDict):
    """A hierarchy, from its top down to the level of the release."""

    level: Annotated[Level, "of the release; under local recoding that at which suppression is told by group"]
    groups: Annotated[dict[str, Count], "level to the number of its groups over the input"]
    below: list[TreeNode]
    more: NotRequired[Count]


class Column(TypedDict):
    """What became of one input column."""

    name: str
    role: Role
    action: Annotated[
        str, "generalise, keep, scrub, drop, redact, pseudonym, surrogate, shift, ...; none: no action in this run"
    ]
    form: Annotated[Literal["label", "set", "bounds", "representative"] | None, "of a quasi-identifier; else null"]
    loss: Annotated[Share | None, "NCP of this column over all input rows; null if it is not a quasi-identifier"]
    levels: Annotated[
        dict[str, str] | None, "level number to description, from the finest to the coarsest that the policy allows"
    ]
    dtype: NotRequired[Annotated[str, "of the input column"]]
    key_id: NotRequired[Annotated[str, "which key; not the key"]]
    scope: NotRequired[Annotated[Literal["release", "project"], "project: the same token in every release"]]
    k_if_known: NotRequired[
        Annotated[Count | None, "k for an attacker who knows the quasi-identifiers and this column too"]
    ]
    reason: NotRequired[Annotated[str | None, "why values that fewer than k units hold may stay (`allow_unique`)"]]
    surrogates: NotRequired[
        Annotated[
            dict[str, Count],
            "distinct values that share their surrogate with another, that were drawn again, that got a token instead",
        ]
    ]
    tree: NotRequired[Annotated[Tree, "of a quasi-identifier"]]
    bins: NotRequired[Annotated[str, "of a sensitive column whose numbers count by bins for l and t: which bins"]]


class Search(TypedDict):
    """How the recoding was found."""

    strategy: Literal["global", "local"]
    why: Annotated[str, "why this strategy"]
    objective: Literal["loss", "discernibility", "class_size", "entropy"]
    optimal: Annotated[bool, "nothing better exists within the hierarchies, limit and objective"]
    bound: Annotated[float | None, "a proven lower bound of the objective"]
    levels: Annotated[dict[str, Level] | None, "column to level; null for local recoding"]
    reproducible: Annotated[bool, "the same input, policy and seed give the same release on any machine"]
    checks: NotRequired[Annotated[Count, "recodings that were evaluated"]]


class SuppressedGroup(TypedDict):
    """Suppressed rows of one group, as `counts.protect` returns it: withheld counts are null, all three at once."""

    column: str
    group: Annotated[str | None, "label at the released level that at least k units share; null: the null value"]
    rows: Count | None
    rate: Annotated[Share | None, "rows / of"]
    of: NotRequired[Annotated[Count | None, "input rows of the group"]]
    rest: NotRequired[
        Annotated[bool, "the group is all labels that fewer than k units share, or beyond the 500 most frequent"]
    ]


class Suppression(TypedDict):
    """What was given up, and who bears it."""

    rows: Annotated[Count | None, "input rows that are not in the release, exact; null if no recoding was found"]
    rate: Annotated[Share | None, "rows / input rows"]
    units_rate: Annotated[Share | None, "units without a single released row / input units; null without a unit"]
    limit: Annotated[Share | None, "the share of input rows that the policy allows"]
    groups: list[SuppressedGroup]
    units: NotRequired[Count | None]
    limit_rows: NotRequired[Annotated[Count | None, "floor(limit x input rows)"]]
    uncovered: NotRequired[Annotated[Count, "rows of these lost because a hierarchy lacks one of their values"]]
    action: NotRequired[Annotated[Literal["drop", "mask"], "mask: an empty row stays"]]


class K(TypedDict):
    """k-anonymity, recomputed from the written file."""

    required: Count
    achieved: Annotated[Count | None, "the smallest class, counted as `counted` says; null: there is no class"]
    rows: Annotated[Count | None, "the smallest class in rows"]
    units: Annotated[Count | None, "the smallest class in distinct units; null: no unit, or not counted"]
    profiles: Annotated[Count | None, "the fewest units that share a profile; null: not counted"]
    counted: NotRequired[Counted]
    linkable: NotRequired[Annotated[str | None, "why the policy accepts that rows of one unit can be joined"]]
    classes_failing: NotRequired[Count | None]
    holds: NotRequired[bool | None]


class RecursiveBound(TypedDict):
    """Recursive (c, l)-diversity: r1 < c (r_l + ... + r_m). Achieved: c is the largest r1 / (r_l + ... + r_m)."""

    c: Amount | None
    l: Count  # noqa: E741 - the field's own symbol


class L(TypedDict):
    """l-diversity of one sensitive column, recomputed from the written file."""

    kind: Literal["distinct", "entropy", "recursive"]
    required: Amount | RecursiveBound
    achieved: Annotated[Amount | RecursiveBound | None, "the worst class"]
    classes_failing: NotRequired[Count | None]
    holds: NotRequired[bool | None]


class T(TypedDict):
    """t-closeness of one sensitive column, recomputed from the written file."""

    distance: Literal["equal", "ordered", "hierarchical"]
    required: Share
    achieved: Annotated[Share | None, "the largest distance of a class from all released rows"]
    against_input: Annotated[Share | None, "the largest distance of a class from all input rows"]
    moved: NotRequired[Annotated[Share | None, "distance of the released rows from the input rows"]]
    classes_failing: NotRequired[Count | None]
    holds: NotRequired[bool | None]


class Guarantee(TypedDict):
    """What was promised and what the written file has."""

    k: Annotated[K | None, "null: the policy has no quasi-identifier"]
    l: Annotated[dict[str, L], "by sensitive column"]  # noqa: E741
    t: Annotated[dict[str, T], "by sensitive column"]


SizeBin = TypedDict("SizeBin", {"from": Count, "to": Count, "classes": Count, "rows": Count})
SizeBin.__doc__ = "Classes with `from` to `to` members, both included, and the rows in them."


class Classes(TypedDict):
    """The equivalence classes of the release."""

    count: Count | None
    average: Annotated[Amount | None, "released rows / classes"]
    sizes: Annotated[list[SizeBin], "as `counts.class_histogram` bins them: doubling from k on"]
    counted: NotRequired[Annotated[Literal["rows", "units"], "what a size counts"]]


class Loss(TypedDict):
    """What the release costs in detail."""

    ncp: Annotated[Share | None, "normalised certainty penalty: 0 untouched, 1 nothing left"]
    discernibility: Annotated[Amount | None, "sum of class size squared, plus the input rows for each suppressed row"]
    average_class_size: Annotated[Amount | None, "C_AVG = released rows / classes / k"]


class Risk(TypedDict):
    """Re-identification risk that follows from class sizes alone, in members as k counts them."""

    prosecutor_max: Annotated[Share | None, "1 / smallest class: the target is known to be in the release"]
    prosecutor_mean: Annotated[Share | None, "mean of 1 / class size over the released members"]
    journalist: Annotated[Share | None, "against a population table; null: none given"]
    marketer: Annotated[Share | None, "expected share of members re-identified by linking all"]


class Text(TypedDict):
    """What was found in one text column."""

    documents: Annotated[Count, "rows with text"]
    withheld: Annotated[Count, "rows whose text was replaced as a whole because it could not be processed"]
    spans: Annotated[dict[str, Count], "entity to spans replaced"]
    ner: Annotated[list[str] | None, "models and versions; null: the policy says `ner: none`"]
    also_from: NotRequired[
        Annotated[list[str] | None, "columns whose values were scrubbed from the row's text; null: none"]
    ]
    changed: NotRequired[Annotated[Count, "documents with at least one span"]]
    distinct: NotRequired[Annotated[Count, "distinct documents"]]
    duplicates: NotRequired[Annotated[Count, "documents left out because they repeat an earlier one"]]


class Proportion(TypedDict):
    """A share with its denominator and 95 % interval, in which the trials of one text count as alike as they are."""

    found: Count
    of: Count
    rate: Share | None
    low: Share | None
    high: Share | None
    weighted: NotRequired[Annotated[bool, "the rate is by the weights of a drawn sample, and not found / of"]]


class Recall(TypedDict):
    """Scrubber recall, measured on a labelled sample under the same text policy, rules and models."""

    documents: Count
    overall: Annotated[Proportion, "labelled spans masked whole"]
    entities: Annotated[dict[str, Proportion], "the same, by label"]
    f2: NotRequired[Annotated[dict[str, Share | None], "F2 of a label: its recall, and the precision of its entity"]]
    touched: NotRequired[Annotated[Proportion, "labelled spans masked at least in part"]]
    tokens: NotRequired[Annotated[Proportion, "labelled tokens masked"]]
    token_precision: NotRequired[Annotated[Proportion, "masked tokens labelled, whatever the label"]]
    token_f2: NotRequired[Share | None]
    clean: NotRequired[Annotated[Proportion, "texts with labels in which nothing was missed"]]
    direct: NotRequired[Annotated[Proportion, "direct identifiers of which every mention is masked"]]
    quasi: NotRequired[Annotated[Proportion, "quasi-identifiers of which every mention is masked"]]
    withheld: NotRequired[Annotated[Count, "texts that could not be processed: all in them counts as masked"]]
    ner: NotRequired[Annotated[list[str] | None, "the models that ran"]]
    required: NotRequired[Annotated[Share | None, "the gate, on the lower bound"]]
    holds: NotRequired[bool | None]


class Attack(TypedDict):
    """An attack that was run, beside its baseline and control."""

    name: str
    knows: Annotated[str | list[str], "what the attacker is assumed to know"]
    targets: Count
    attempts: Count
    correct: Annotated[Amount, "a candidate set of n that covers the target counts 1 / n"]
    false_accepts: Count | None
    rate: Share | None
    low: Annotated[Share | None, "95 % Clopper-Pearson"]
    high: Share | None
    baseline: Share | None
    control: Annotated[Share | None, "success on people who were never released"]
    advantage: Annotated[float | None, "(attack - control) / (1 - control)"]
    verdict: Literal["pass", "fail", "inconclusive", "too_weak"] | None
    seed: int | None
    detail: Annotated[dict[str, Any] | str | None, "counts only"]


class PolicyChange(TypedDict):
    """A later epsilon policy in the ledger of private training."""

    entry: Count
    reason: str | None
    after_spending: Annotated[bool, "something had been trained or counted before"]


class SpentOn(TypedDict):
    """The ledger that epsilon was computed from."""

    entries: Count
    head: Annotated[Digest, "of the last entry, which seals those before it"]
    training: Annotated[Count, "training runs charged"]
    tuning: Annotated[Count, "runs that only chose settings, charged all the same"]
    statistic: Annotated[Count, "noisy counts, sums, means and histograms charged"]


class BoundedRows(TypedDict):
    """Records that were trained on, and records left out by the bound on records of a unit."""

    used: Count
    dropped: Count


class BoundedGroup(TypedDict):
    """The same by subgroup; null where fewer than 10 units stand behind a count."""

    column: str
    group: str
    rows: Count | None
    dropped: Count | None
    rate: Share | None


class Training(TypedDict):
    """A private training that was recorded for this release."""

    unit: str
    epsilon: Amount
    delta: Share
    adjacency: str
    sampler: str
    accountant: str
    exposure: NotRequired[str]
    noise_multiplier: NotRequired[Amount]
    sample_rate: NotRequired[Share]
    steps: NotRequired[Count]
    max_records_per_unit: NotRequired[Count]
    clipping_bound: NotRequired[Annotated[Amount, "C, the longest gradient of one unit"]]
    units: NotRequired[Annotated[Count, "N, units that are sampled from"]]
    expected_batch_size: NotRequired[Amount]
    odds: NotRequired[Annotated[Amount, "e^epsilon: the most by which one unit changes the odds of a conclusion"]]
    epsilon_of_run: NotRequired[Annotated[Amount, "of the last training run alone"]]
    limit: NotRequired[Annotated[Amount, "the policy's epsilon at this exposure"]]
    policy_sha256: NotRequired[Annotated[Digest, "of the epsilon policy, fixed before training"]]
    policy_changes: NotRequired[list[PolicyChange]]
    ledger: NotRequired[SpentOn]
    repeated_steps: NotRequired[Annotated[Count, "steps taken again after a crash"]]
    for_release: NotRequired[Annotated[bool, "false: noise came from a known seed"]]
    end_to_end: NotRequired[Annotated[bool, "epsilon covers the table before the release too"]]
    rows: NotRequired[BoundedRows]
    dropped: NotRequired[list[BoundedGroup]]
    audits: NotRequired[Annotated[list[dict[str, Any]], "what the trained model was measured to give away"]]
    says: NotRequired[Annotated[list[str], "what epsilon says and what it does not"]]
    outside: NotRequired[Annotated[list[str], "steps on private data that the accountant does not cover"]]


class Threshold(TypedDict):
    """A limit of the policy on something measured beyond its guarantee."""

    limit: Amount
    found: NotRequired[Annotated[float | None, "null: not measured"]]
    holds: NotRequired[bool | None]


class Check(TypedDict):
    """One thing that was recomputed from the written file by separate code."""

    name: str
    held: Annotated[bool | None, "null: not checked"]
    detail: Annotated[str, "counts and column names only"]


class Verification(TypedDict):
    """The re-reading of the written file."""

    checks: list[Check]
    file: NotRequired[str]


class Environment(TypedDict):
    """Versions, hashes, times: the only part that may differ between equal runs."""

    versions: NotRequired[dict[str, str]]
    files: NotRequired[Annotated[dict[str, str], "file name to SHA-256"]]
    run: NotRequired[Annotated[Digest, "of policy, options, versions, key ids and the marks of files: the same run"]]
    options: NotRequired[Annotated[dict[str, str], "seed, and the share of units held out"]]
    started: NotRequired[str]
    finished: NotRequired[str]
    wall_s: NotRequired[Amount | None]
    cpu_s: NotRequired[Amount | None]
    search_cpu_s: NotRequired[Annotated[Amount | None, "without compilation"]]
    search_compile_s: NotRequired[Amount | None]
    peak_memory_mb: NotRequired[Amount | None]
    platform: NotRequired[str]
    threads: NotRequired[Count]


class Evidence(TypedDict):
    """Evidence of one run of anonym: what was promised, done and measured, and what was not."""

    schema: Literal["anonym.evidence/1"]
    holds: NotRequired[Annotated[bool | None, "printed by `anonym check`: the same as verdict.holds"]]
    verdict: Verdict
    policy: PolicyFacts
    threat_model: NotRequired[ThreatModel]
    input: Input
    output: Output
    batch: NotRequired[Batch]
    guarantee: Guarantee
    classes: Classes
    suppression: Suppression
    loss: Loss
    risk: Risk
    thresholds: NotRequired[Annotated[dict[str, Threshold], "by the policy's key; `attacks.NAME.rate` of an attack"]]
    columns: list[Column]
    text: Annotated[dict[str, Text], "by text column"]
    recall: Annotated[Recall | None, "null: not measured"]
    attacks: Annotated[list[Attack], "empty: none was run"]
    training: Annotated[Training | None, "null: none recorded"]
    search: Annotated[Search | None, "null: the policy has no quasi-identifier"]
    verification: Verification
    limits: Annotated[list[str], "what this evidence does not show"]
    environment: Environment
