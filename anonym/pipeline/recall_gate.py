"""The gate on text recall: the policy's scrubber on the policy's labelled sample, before anything is released."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anonym.errors import CallError, GuaranteeError, InconclusiveError
from anonym.policy.model import Policy, Text
from anonym.policy.resolve import ResolvedColumn
from anonym.text.options import RecallGate

if TYPE_CHECKING:
    from anonym.text.labelled import Labelled, Offsets, Style
    from anonym.text.recall import Recall
    from anonym.text.scrub import Scrubber


class NoEvidence(InconclusiveError):
    """A recall gate that the sample cannot decide. `found` holds what was measured."""

    def __init__(self, message: str, found: dict[str, Any]) -> None:
        super().__init__(message)
        self.found = found


def gate_recall(policy: Policy, columns: Sequence[ResolvedColumn], scrubber: Scrubber | None) -> dict[str, Any] | None:
    """The evidence on recall where the policy has a gate and a text column; raises as `refuse_low` does."""
    gate = policy.text.recall
    if gate is None or scrubber is None or not any(isinstance(column.role, Text) for column in columns):
        return None
    found = measured(policy, sample_of(policy, None, None, "auto"), scrubber)
    refuse_low(found, gate)
    return evidence_of(found, gate)


def evidence_of(recall: Recall, gate: RecallGate | None) -> dict[str, Any]:
    """What the report prints: counts and rates, no position and no text."""
    facts = recall.evidence() | {"ner": list(recall.ner) or None}
    if gate is not None:
        facts |= {"required": float(gate.min), "holds": recall.holds(float(gate.min), gate.entities)}
    return facts


def refuse_low(recall: Recall, gate: RecallGate) -> None:
    """Raise GuaranteeError where recall is below the gate, InconclusiveError where the sample cannot tell.

    The lower end of the 95 % interval must reach the bound; where even the upper end does not, the gate fails.
    """
    least = float(gate.min)
    held = recall.holds(least, gate.entities)
    if held:
        return
    said = "; ".join(_shortfalls(recall, gate))
    found = {"recall": evidence_of(recall, gate)}
    if held is False:
        raise GuaranteeError(f"text recall is below the required {least:g}: {said}", found=found)
    raise NoEvidence(
        f"text recall of at least {least:g} is not shown: {said}; label more texts (`anonym recall --draw-sample`)",
        found,
    )


def _shortfalls(recall: Recall, gate: RecallGate) -> Iterator[str]:
    parts = {"all labels": recall.whole} | {
        entity: recall.entities[entity] for entity in gate.entities if entity in recall.entities
    }
    for name, part in parts.items():
        if part.rate is None or part.low is None or part.high is None:
            yield f"{name} not measured, the sample has no such label"
        elif part.low < gate.min:
            yield f"{name} {part.rate:.3f} [{part.low:.3f}, {part.high:.3f}], {part.found} of {part.of}"


def sample_of(
    policy: Policy,
    labelled: str | Path | Iterable[Mapping[str, Any]] | None,
    offsets: Offsets | None,
    style: Style,
) -> list[Labelled]:
    from anonym.text.labelled import from_mapping, read

    gate = policy.text.recall
    if labelled is None:
        if gate is None:
            raise CallError("name a labelled sample: the policy has none under text.recall")
        return read(gate.labelled, style, offsets or gate.offsets)
    if isinstance(labelled, str | Path):
        return read(Path(labelled), style, offsets)
    return [from_mapping(entry, offsets) for entry in labelled]


def measured(policy: Policy, sample: Sequence[Labelled], scrubber: Scrubber | None) -> Recall:
    from anonym.text.recall import recall as measure
    from anonym.text.scrub import Scrubber

    gate = policy.text.recall
    return measure(scrubber or Scrubber(policy.text), sample, gate.entities if gate else ())
