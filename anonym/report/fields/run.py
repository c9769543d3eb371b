"""Fields on the run: verdict, policy, tables in and out, search, verification, environment."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from anonym.report.fields.kinds import Amount, Count, Digest, Level


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


class FormulaCells(TypedDict):
    """Cells of a CSV release that a spreadsheet would run as formulas, and what was done with them."""

    action: Literal["keep", "quote"]
    cells: Count


class Output(TypedDict):
    """The release, as written; for a refused run the rejected file, null where none was written."""

    rows: Count | None
    units: Count | None
    digest: Annotated[Digest | None, "SHA-256 of the sorted class table: QI values, counts, sensitive histograms"]
    paths: NotRequired[Annotated[list[str], "file names, without folders"]]
    order: NotRequired[Literal["shuffle", "keep"]]
    formulas: NotRequired[FormulaCells]


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


class Check(TypedDict):
    """One thing that was recomputed from the written file by separate code."""

    name: str
    held: Annotated[bool | None, "null: not checked"]
    detail: Annotated[str, "counts and column names only"]


class Verification(TypedDict):
    """The re-reading of the written file."""

    checks: list[Check]
    file: NotRequired[str]


class SecretPlan(TypedDict):
    """The file of raw combinations that this run wrote, or followed; of a global recoding it holds none."""

    use: Literal["written", "followed"]
    sha256: Digest
    combinations: Count


class Environment(TypedDict):
    """Versions, hashes, times: the only part that may differ between equal runs."""

    versions: NotRequired[dict[str, str]]
    files: NotRequired[Annotated[dict[str, str], "file name to SHA-256"]]
    run: NotRequired[Annotated[Digest, "of policy, options, versions, key ids and the marks of files: the same run"]]
    secret_plan: NotRequired[SecretPlan]
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
