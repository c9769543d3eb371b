"""Sections on what was promised: the guarantee, class sizes, and who bears the suppression."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from anonym.report import blocks, figures, svg, wording
from anonym.report.blocks import Heading, Section
from anonym.report.fields import Evidence, SizeBin, SuppressedGroup
from anonym.report.markup import Markup, join, tag

MOST_GROUPS = 8  # bars a column; the JSON has them all


# guarantee -----------------------------------------------------------------------------------------------------------


def guarantee(evidence: Evidence) -> Section:
    rows = [*_k_rows(evidence), *_l_rows(evidence), *_t_rows(evidence), *_limit_row(evidence)]
    if not rows:
        said = "The policy lists no quasi-identifier and asks for no guarantee on the table."
        return Section("guarantee", "Guarantee", blocks.note(said))
    headings = (Heading("Promise"), Heading("Required", "num"), Heading("Achieved", "num"), Heading("Result"))
    caption = "Required by the policy, and achieved as recomputed from the written file by separate code."
    return Section("guarantee", "Guarantee on the written file", blocks.table(caption, headings, rows))


def _k_rows(evidence: Evidence) -> Iterator[Sequence[object]]:
    k = evidence["guarantee"]["k"]
    if k is None:
        return
    counted = k.get("counted") or ("rows" if k["units"] is None else "units")
    label = f"k over {'profiles of ' if counted == 'profiles' else ''}{wording.counted(evidence)}"
    failing = k.get("classes_failing")
    detail = blocks.sub(f"{figures.plural(failing, 'class')} below") if failing else None
    achieved = blocks.figure(k["achieved"], figures.count(k["achieved"]))
    yield join("k-anonymity", blocks.sub(label), detail), figures.count(k["required"]), achieved, _held(k, evidence)
    for kind in ("rows", "units", "profiles"):
        if kind != counted:
            value = k[kind]
            yield join(blocks.sub(f"k over {kind}")), "", blocks.figure(value, figures.count(value)), ""


def _l_rows(evidence: Evidence) -> Iterator[Sequence[object]]:
    for column, part in evidence["guarantee"]["l"].items():
        label = join(f"l-diversity, {part['kind']}", blocks.sub(figures.shortened(column, 120)), _below(part))
        achieved = blocks.absent() if part["achieved"] is None else wording.diversity(part["achieved"])
        yield label, wording.diversity(part["required"], achieved=False), achieved, _held(part, evidence)


def _t_rows(evidence: Evidence) -> Iterator[Sequence[object]]:
    for column, part in evidence["guarantee"]["t"].items():
        label = join(f"t-closeness, {part['distance']}", blocks.sub(figures.shortened(column, 120)), _below(part))
        against = [
            blocks.sub(f"{said} {figures.at_most(value)}")
            for said, value in (
                ("against the input", part["against_input"]),
                ("moved by suppression", part.get("moved")),
            )
            if value is not None
        ]
        achieved = blocks.figure(part["achieved"], figures.at_most(part["achieved"]))
        yield label, join("≤ ", figures.number(part["required"])), join(achieved, against), _held(part, evidence)


def _limit_row(evidence: Evidence) -> Iterator[Sequence[object]]:
    part = evidence["suppression"]
    if part["limit"] is not None:
        achieved = blocks.figure(part["rate"], figures.share(part["rate"]))
        held = blocks.status(wording.within_limit(part))
        yield "Suppressed rows", join("≤ ", figures.share(part["limit"])), achieved, held


def _below(part: Mapping[str, Any]) -> Markup | None:
    failing = part.get("classes_failing")
    return blocks.sub(f"fails in {figures.plural(failing, 'class')}") if failing else None


def _held(part: Mapping[str, Any], evidence: Evidence) -> Markup:
    empty = evidence["output"]["rows"] == 0
    return blocks.status(part.get("holds"), figures.NOT_APPLICABLE if empty else figures.NOT_MEASURED)


# class sizes and risk ------------------------------------------------------------------------------------------------


def classes(evidence: Evidence) -> Section:
    found = evidence["classes"]
    if not found["sizes"]:
        return Section(
            "classes", "Class sizes", join(blocks.note("There are no equivalence classes."), _risk(evidence))
        )
    k = evidence["guarantee"]["k"]
    members = found.get("counted") or "rows"
    said = f"{figures.plural(found['count'], 'equivalence class')}, {figures.number(found['average'])} rows on average."
    drawn = svg.histogram(found["sizes"], k["required"] if k else None, members)
    lead = f"Each column holds the rows whose class has at least the {members} below it, up to the next number."
    body = join(tag("p", said), blocks.note(lead), drawn, _size_table(found["sizes"], members), _risk(evidence))
    return Section("classes", "Class sizes", body)


def _size_table(bins: Sequence[SizeBin], members: str) -> Markup:
    total = sum(one["rows"] for one in bins)
    headings = (
        Heading(f"Class size in {members}"),
        Heading("Classes", "num"),
        Heading("Rows", "num"),
        Heading("Share", "num"),
    )
    rows = [
        (
            _span(one),
            figures.count(one["classes"]),
            figures.count(one["rows"]),
            figures.share(one["rows"] / total if total else None),
        )
        for one in bins
    ]
    return blocks.table("Classes and released rows by class size.", headings, rows)


def _span(one: SizeBin) -> str:
    low, high = one["from"], one["to"]
    return figures.count(low) if low == high else f"{figures.count(low)} – {figures.count(high)}"


RISKS = (
    ("prosecutor_max", "Highest, if the attacker knows that the target is in the release"),
    ("prosecutor_mean", "Mean over all released"),
    ("marketer", "Expected share re-identified by linking everyone"),
    ("journalist", "Against a population table"),
)


def _risk(evidence: Evidence) -> Markup:
    risk: Mapping[str, float | None] = evidence["risk"]  # type: ignore[assignment]
    rows = [(said, blocks.figure(risk[key], figures.share(risk[key]))) for key, said in RISKS]
    caption = "Chance of a correct link by class sizes alone, for an attacker who knows every quasi-identifier."
    heading = tag("h3", "Re-identification risk from class sizes")
    return join(heading, blocks.table(caption, (Heading("Risk"), Heading("Chance", "num")), rows))


# suppression ---------------------------------------------------------------------------------------------------------


def suppression(evidence: Evidence) -> Section:
    part = evidence["suppression"]
    body = [tag("p", _suppressed(evidence))]
    if part["groups"]:
        body.append(_who_bears(evidence))
    elif part["rows"]:
        body.append(blocks.note("By group: not measured."))
    return Section("suppression", "What was suppressed, and who bears it", join(body))


def _suppressed(evidence: Evidence) -> str:
    part, total = evidence["suppression"], evidence["input"]["rows"]
    if part["rows"] is None:
        return "Suppression was not measured."
    if not part["rows"]:
        return "No row was suppressed."
    said = f"{figures.count(part['rows'])} of {figures.plural(total, 'row')} suppressed ({figures.share(part['rate'])})"
    if part["units_rate"] is not None:
        said += f"; {figures.share(part['units_rate'])} of units have no row left in the release"
    if part.get("uncovered"):
        said += f". {figures.count(part['uncovered'])} of these rows hold a value that a hierarchy lacks"
    return f"{said}."


def _who_bears(evidence: Evidence) -> Markup:
    groups, overall = evidence["suppression"]["groups"], evidence["suppression"]["rate"] or 0.0
    by_column = [(column, list(found)) for column, found in groupby(groups, key=lambda group: group["column"])]
    scale = max([overall, *(group["rate"] or 0.0 for group in groups)]) or 1.0
    k = evidence["guarantee"]["k"]
    lead = (
        f"Share of each group's rows that was suppressed; the bars end at {figures.share(scale)}, the line marks "
        f"{figures.share(overall)} of all rows. Columns with the most uneven burden come first. Withheld: fewer than "
        f"{figures.count(k['required']) if k else 'k'}, or a count that would give such a one away."
    )
    by_column.sort(key=lambda pair: -max(group["rate"] or 0.0 for group in pair[1]))
    cards = [_card(column, found, scale, overall) for column, found in by_column]
    return join(blocks.note(lead), tag("div", cards, class_="cards"))


def _card(column: str, groups: Sequence[SuppressedGroup], scale: float, overall: float) -> Markup:
    ranked = sorted(groups, key=lambda group: -1.0 if group["rate"] is None else -2.0 - group["rate"])
    headings = (Heading("Group"), Heading("Suppressed", "bars"), Heading("Share", "num"), Heading("Rows", "num"))
    rows = [_group_row(group, scale, overall) for group in ranked[:MOST_GROUPS]]
    caption = f"Suppressed rows by {figures.shortened(column, 60)}"
    if len(ranked) > MOST_GROUPS:
        caption += f", {MOST_GROUPS} of {len(ranked)} groups; the JSON report lists all"
    return tag("div", tag("h3", blocks.name(column)), blocks.table(f"{caption}.", headings, rows))


def _group_row(group: SuppressedGroup, scale: float, overall: float) -> Sequence[object]:
    label = _group_label(group)
    rate, mark = group["rate"], overall / scale
    if rate is None:
        return label, svg.bar(None), blocks.absent("withheld"), ""
    of = group.get("of")
    rows = figures.count(group["rows"]) + (f" of {figures.count(of)}" if of is not None else "")
    return label, svg.bar(rate / scale, mark), figures.share(rate), rows


def _group_label(group: SuppressedGroup) -> Markup:
    if group.get("rest"):
        return blocks.absent("all rarer groups")
    return blocks.absent("null") if group["group"] is None else blocks.name(group["group"])
