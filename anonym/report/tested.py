"""Sections on what was found and tested: text, attacks, training, verification, limits, environment."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from anonym.report import blocks, figures, svg, wording
from anonym.report.blocks import Heading, Section
from anonym.report.fields import Attack, Evidence, Proportion, Recall, Text
from anonym.report.markup import Markup, join, tag

MOST_ENTITIES = 24
VERDICTS = {
    "pass": ("good", "✓ pass"),
    "fail": ("bad", "✗ fail"),
    "inconclusive": ("warn", "inconclusive"),
    "too_weak": ("warn", "attack too weak"),
    None: ("none", "no threshold"),
}


# text ----------------------------------------------------------------------------------------------------------------


def text(evidence: Evidence) -> Section:
    if not evidence["text"]:
        said = "Not measured in this run." if wording.has_text(evidence) else "Not applicable: there is no text column."
        return Section("text", "Text", blocks.note(said))
    body = [_text_column(name, part) for name, part in evidence["text"].items()]
    return Section("text", "What was found in text", join(body, tag("h3", "Recall"), _recall(evidence["recall"])))


def _text_column(name: str, part: Text) -> Markup:
    total = sum(part["spans"].values())
    changed = f"{figures.count(part['changed'])} of " if "changed" in part else ""
    said = f"{figures.plural(total, 'span')} replaced in {changed}{figures.plural(part['documents'], 'text')}."
    if part["withheld"]:
        said += f" {figures.plural(part['withheld'], 'text')} could not be processed, so withheld as a whole."
    if part.get("duplicates"):
        said += f" {figures.plural(part['duplicates'], 'text')} repeated an earlier one and were left out."
    pairs: list[tuple[str, object]] = [
        ("Models", ", ".join(part["ner"]) if part["ner"] else "none: rules and patterns only")
    ]
    if "also_from" in part:
        pairs.append(("Scrubbed from the row", figures.listed(part["also_from"] or ["nothing"], 12)))
    return join(tag("h3", blocks.name(name)), tag("p", said), blocks.facts(pairs), _spans(name, part, total))


def _spans(name: str, part: Text, total: int) -> Markup | None:
    if not total:
        return None
    ranked = sorted(part["spans"].items(), key=lambda pair: (-pair[1], pair[0]))
    largest = ranked[0][1]
    rows = [(kind, svg.bar(number / largest), figures.count(number)) for kind, number in ranked[:MOST_ENTITIES]]
    caption = f"Spans replaced in {figures.shortened(name, 60)}, by entity."
    hidden = len(ranked) - MOST_ENTITIES
    more = blocks.note(f"{figures.plural(hidden, 'more entity')} in the JSON report.") if hidden > 0 else None
    headings = (Heading("Entity"), Heading("Beside the most frequent", "bars"), Heading("Spans", "num"))
    return join(blocks.table(caption, headings, rows, unseen=True), more)


def _recall(recall: Recall | None) -> Markup:
    if recall is None:
        said = (
            "No labelled sample was scrubbed under this text policy, so it is unknown how much was missed. The counts "
            "above say what was found, not what was there."
        )
        return join(tag("p", blocks.absent("Not measured. "), said))
    parts = [("All labels", recall["overall"]), *recall["entities"].items()]
    required = recall.get("required")
    rows = [_proportion(f"recall-{i}", label, part, required) for i, (label, part) in enumerate(parts)]
    caption = (
        f"Share of the labelled spans found, in {figures.plural(recall['documents'], 'labelled text')} (dot), with its "
        "95 % interval (band)."
    )
    if required is not None:
        caption += f" The line marks {figures.share(required)}, which the interval's lower end must reach."
    headings = (Heading("Label"), Heading("Interval", "bars"), Heading("Recall", "num"))
    return join(blocks.table(caption, headings, rows), blocks.facts(_further_recall(recall)))


def _proportion(identifier: str, label: str, part: Proportion, required: float | None) -> Sequence[object]:
    found = f"{figures.count(part['found'])} of {figures.count(part['of'])}"
    rate = blocks.figure(part["rate"], figures.share(part["rate"], aligned=True))
    drawn = svg.interval(
        identifier, part["low"], part["rate"], part["high"], required, None, "Recall", ("required" * bool(required), "")
    )
    return join(blocks.name(label), blocks.sub(found)), drawn, join(rate, _interval(part["low"], part["high"]))


FURTHER_RECALL = (
    ("Texts in which nothing was missed", "clean"),
    ("Direct identifiers, every mention masked", "direct"),
    ("Quasi-identifiers, every mention masked", "quasi"),
    ("Labelled spans masked at least in part", "touched"),
    ("Labelled tokens masked", "tokens"),
    ("Masked tokens that were labelled", "token_precision"),
)


def _further_recall(recall: Recall) -> Iterator[tuple[str, object]]:
    for said, key in FURTHER_RECALL:
        part: Proportion | None = recall.get(key)  # type: ignore[assignment]
        if part and part["of"]:
            found = f"{figures.count(part['found'])} of {figures.count(part['of'])}"
            yield said, join(f"{figures.share(part['rate'])}, {found}", _interval(part["low"], part["high"]))
    if recall.get("withheld"):
        yield "Texts that could not be processed, all in them counted as masked", figures.count(recall["withheld"])
    if recall.get("ner"):
        yield "Models", ", ".join(recall["ner"] or ())


def _interval(low: float | None, high: float | None) -> Markup | None:
    return None if low is None or high is None else blocks.sub(f"{figures.share(low)} – {figures.share(high)}")


# attacks and training ------------------------------------------------------------------------------------------------


def attacks(evidence: Evidence) -> Section:
    if not evidence["attacks"]:
        said = "None run. Whether someone could link, single out or infer was not tried on this release."
        return Section("attacks", "Attacks", blocks.note(said))
    caption = (
        "Success of each attack (dot) with its 95 % interval (band), beside guessing (solid line) and the control, "
        "people who were never released (dashed line). Advantage: (attack - control) / (1 - control)."
    )
    headings = (Heading("Attack"), Heading("Success", "bars success"), Heading("Verdict"))
    table = blocks.table(caption, headings, [_attack(index, one) for index, one in enumerate(evidence["attacks"])])
    return Section("attacks", "Attacks", table)


def _attack(index: int, one: Attack) -> Sequence[object]:
    knows = one["knows"] if isinstance(one["knows"], str) else figures.listed(one["knows"], 12)
    tried = f"{figures.count(one['correct'])} correct of {figures.plural(one['attempts'], 'attempt')}"
    named = join(blocks.name(one["name"]), blocks.sub(f"knows {knows}"), blocks.sub(tried))
    drawn = svg.interval(f"attack-{index}", one["low"], one["rate"], one["high"], one["baseline"], one["control"])
    rate = blocks.figure(one["rate"], figures.share(one["rate"]))
    beside = [f"{kind} {figures.share(one[kind])}" for kind in ("baseline", "control")]
    beside.append(f"advantage {figures.number(one['advantage'])}")
    kind, said = VERDICTS[one["verdict"]]
    success = join(drawn, rate, _interval(one["low"], one["high"]), blocks.sub(", ".join(beside)), _worst(one))
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


# verification, limits, environment -----------------------------------------------------------------------------------


NOT_WRITTEN = "No file was written, so none was verified."


def verification(evidence: Evidence) -> Section:
    part = evidence["verification"]
    if not part["checks"]:
        written = evidence["output"]["rows"] is not None
        said = "The released file was measured alone: nothing was compared with an input." if written else NOT_WRITTEN
        return Section("verification", "Verification", blocks.note(said))
    rows = [(check["name"], blocks.status(check["held"], "not checked"), check["detail"]) for check in part["checks"]]
    read = f"The file {part['file']} was read back" if "file" in part else "The written file was read back"
    caption = f"{read} by code that shares nothing with the search."
    headings = (Heading("Check"), Heading("Result"), Heading("Found", "words"))
    return Section("verification", "Verification", blocks.table(caption, headings, rows))


def limitations(evidence: Evidence) -> Section:
    body = tag("ol", [tag("li", said) for said in evidence["limits"]], class_="limits")
    return Section("limits", "What this does not show", body)


TIMES = (
    ("started", "Started"),
    ("finished", "Finished"),
    ("wall_s", "Elapsed"),
    ("cpu_s", "CPU"),
    ("search_cpu_s", "CPU of the search, without compilation"),
    ("search_compile_s", "Compilation of the search"),
    ("peak_memory_mb", "Peak memory"),
    ("threads", "Threads"),
    ("platform", "Platform"),
)


def environment(evidence: Evidence) -> Section:
    part = evidence["environment"]
    hashes = [
        ("Policy", evidence["policy"]["sha256"]),
        ("Input, keyed digest of its classes", evidence["input"]["digest"]),
        ("Release, digest of its classes", evidence["output"]["digest"]),
        *((f"File {name}", digest) for name, digest in part.get("files", {}).items()),
    ]
    rows = [(named, blocks.absent() if digest is None else tag("code", digest)) for named, digest in hashes]
    table = blocks.table("SHA-256 unless it says otherwise.", (Heading("Of"), Heading("Hash", "words")), rows)
    versions = ", ".join(f"{name} {version}" for name, version in part.get("versions", {}).items())
    pairs = [*_times(evidence), *([("Versions", versions)] if versions else [])]
    return Section("environment", "Environment and hashes", join(table, blocks.facts(pairs)))


def _times(evidence: Evidence) -> Iterator[tuple[str, str]]:
    for key, label in TIMES:
        value = evidence["environment"].get(key)
        if isinstance(value, int | float):
            unit = " s" if key.endswith("_s") else " MB" if key.endswith("_mb") else ""
            yield label, f"{figures.number(value)}{unit}"
        elif value is not None:
            yield label, str(value)
