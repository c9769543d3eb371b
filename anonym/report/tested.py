"""Sections on what was tried: attacks on the release, and private training."""

from __future__ import annotations

from collections.abc import Sequence

from anonym.report import blocks, figures, svg
from anonym.report.attacked import attacks_of
from anonym.report.blocks import Heading, Section
from anonym.report.fields import Attack, Evidence, LaterRun
from anonym.report.markup import Markup, join, tag

VERDICTS = {
    "pass": ("good", "✓ pass"),
    "fail": ("bad", "✗ fail"),
    "inconclusive": ("warn", "inconclusive"),
    "too_weak": ("warn", "attack too weak"),
    None: ("none", "no threshold"),
}


def attacks(evidence: Evidence) -> Section:
    if not attacks_of(evidence):
        said = "None run. Whether someone could link, single out or infer was not tried on this release."
        return Section("attacks", "Attacks", blocks.note(said))
    caption = (
        "Success of each attack (dot) with its 95 % interval (band), beside guessing (solid line) and the control, "
        "people who were never released (dashed line). Advantage: (attack - control) / (1 - control)."
    )
    headings = (Heading("Attack"), Heading("Success", "bars success"), Heading("Verdict"))
    later = evidence.get("later") or []
    own = [_run(headings, "own", None, evidence["attacks"])] if evidence["attacks"] else []
    runs = [_run(headings, f"later-{place}", run, run["attacks"]) for place, run in enumerate(later)]
    return Section("attacks", "Attacks", blocks.framed(caption, headings, *own, *runs))


def _run(headings: Sequence[Heading], key: str, later: LaterRun | None, found: Sequence[Attack]) -> Markup:
    """The attacks of one run; of a later one, with which tables."""
    rows = [blocks.row(headings, _attack(f"{key}-{index}", one)) for index, one in enumerate(found)]
    if later is None:
        return tag("tbody", rows)
    given = (f"{name} of {figures.plural(number, 'row')}" for name, number in later["rows"].items())
    said = f" with {figures.listed(given) or 'the release alone'}; results file {later['sha256'][:12]}"
    note = tag("span", said, class_="note")
    title = tag("th", "Run later on the released file", note, scope="rowgroup", colspan=len(headings))
    return tag("tbody", tag("tr", title), rows, class_="role")


def _attack(key: str, one: Attack) -> Sequence[object]:
    knows = one["knows"] if isinstance(one["knows"], str) else figures.listed(one["knows"], 12)
    tried = f"{figures.count(one['correct'])} correct of {figures.plural(one['attempts'], 'attempt')}"
    named = join(blocks.name(one["name"]), blocks.sub(f"knows {knows}"), blocks.sub(tried))
    drawn = svg.interval(f"attack-{key}", one["low"], one["rate"], one["high"], one["baseline"], one["control"])
    rate = blocks.figure(one["rate"], figures.share(one["rate"]))
    beside = [f"{kind} {figures.share(one[kind])}" for kind in ("baseline", "control")]
    beside.append(f"advantage {figures.number(one['advantage'])}")
    kind, said = VERDICTS[one["verdict"]]
    success = join(drawn, rate, blocks.between(one["low"], one["high"]), blocks.sub(", ".join(beside)), _worst(one))
    return named, success, tag("span", said, class_=f"status {kind}")


def _worst(one: Attack) -> Markup | None:
    """The column whose worst group fares worst; the group is not named."""
    worst = one["detail"].get("worst_subgroup") if isinstance(one["detail"], dict) else None
    if not worst:
        return None
    said = f"worst group, by {worst['column']}: {figures.share(worst['rate'])} of {figures.count(worst['targets'])}"
    return blocks.sub(said)


TRAINING = {
    "outside": "Not covered by ε",
    "max_records_per_unit": "Records of a unit, at most",
    "clipping_bound": "Clipping bound C",
    "units": "Units N",
    "odds": "Odds factor e^ε",
    "epsilon_of_run": "ε of the last run alone",
    "limit": "ε of the policy, at most",
    "policy_sha256": "ε policy, SHA-256",
    "for_release": "May be released",
    "end_to_end": "From the input to the model",
    "says": "In words",
}


def training(evidence: Evidence) -> Section:
    part = evidence["training"]
    if part is None:
        said = "None recorded. A model trained on this release has no guarantee of its own."
        return Section("training", "Private training", blocks.note(said))
    pairs: list[tuple[str, object]] = [("ε", f"{figures.at_most(part['epsilon'])} at δ = {part['delta']:g}")]
    pairs += [
        (TRAINING.get(key, key.replace("_", " ").capitalize()), _said(value))
        for key, value in part.items()
        if key not in ("epsilon", "delta")
    ]
    return Section("training", "Private training", blocks.facts(pairs))


def _said(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return "; ".join(map(_said, value)) or "nothing"
    if isinstance(value, dict):
        return ", ".join(f"{key.replace('_', ' ')} {_said(one)}" for key, one in value.items() if one is not None)
    return figures.number(value) if isinstance(value, int | float) else str(value)
