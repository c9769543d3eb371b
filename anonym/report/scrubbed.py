"""The section on text: what was found in it, and how much of what was there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from anonym.report import blocks, figures, svg, wording
from anonym.report.blocks import Heading, Section
from anonym.report.fields import Evidence, Proportion, Recall, Text
from anonym.report.markup import Markup, join, tag

MOST_ENTITIES = 24


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
    if "secrets" in part:
        pairs.append(("Secrets by", ", ".join(part["secrets"] or ["nothing: they stay in the text"])))
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
    return join(blocks.name(label), blocks.sub(found)), drawn, join(rate, blocks.between(part["low"], part["high"]))


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
            yield said, join(f"{figures.share(part['rate'])}, {found}", blocks.between(part["low"], part["high"]))
    if recall.get("withheld"):
        yield "Texts that could not be processed, all in them counted as masked", figures.count(recall["withheld"])
    if recall.get("ner"):
        yield "Models", ", ".join(recall["ner"] or ())
