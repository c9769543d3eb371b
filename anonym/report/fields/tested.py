"""Fields on text, recall and attacks."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired, TypedDict

from anonym.report.fields.kinds import Amount, Count, Digest, Share


class Text(TypedDict):
    """What was found in one text column."""

    documents: Annotated[Count, "rows with text"]
    withheld: Annotated[Count, "rows whose text was replaced as a whole because it could not be processed"]
    spans: Annotated[dict[str, Count], "entity to spans replaced"]
    ner: Annotated[list[str] | None, "models and versions; null: the policy says `ner: none`"]
    secrets: NotRequired[
        Annotated[list[str] | None, "what looked for passwords, keys and tokens, with versions; null: nothing did"]
    ]
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


class AttackRun(TypedDict):
    """A run of `anonym attack`: on which file, with which tables, and what it found."""

    release: Annotated[Digest, "SHA-256 of the attacked file"]
    policy: Annotated[Digest, "of the canonical JSON of the policy"]
    rows: Annotated[dict[str, Count], "rows of each table that the attacker was given, by its option"]
    options: Annotated[dict[str, str], "what the call said beside its tables"]
    attacks: list[Attack]


class AttackRecord(AttackRun):
    """The file that `anonym attack -o` writes."""

    schema: Literal["anonym.attacks/1"]


class LaterRun(AttackRun):
    """A run of `anonym attack` on the release after it was made, taken up from its file."""

    sha256: Annotated[Digest, "of the file that `anonym attack -o` wrote"]
