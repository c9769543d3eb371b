"""Sections on what was promised: the guarantee, class sizes, and who bears the suppression."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from anonym.report import blocks, figures, svg, thresholds, wording
from anonym.report.blocks import Heading, Section
from anonym.report.fields import Evidence, SizeBin, SuppressedGroup, T
from anonym.report.markup import Markup, join, tag

MOST_GROUPS = 8  # bars a column; the JSON has them all


# guarantee -----------------------------------------------------------------------------------------------------------


def guarantee(evidence: Evidence) -> Section:
    promised = (*_k_rows(evidence), *_l_rows(evidence), *_t_rows(evidence), *_limit_row(evidence))
    rows = [*promised, *_threshold_rows(evidence)]
    if not rows:
        said = "The policy lists no quasi-identifier and asks for no guarantee on the table."
        return Section("guarantee", "Guarantee", blocks.note(said))
    headings = (Heading("Promise"), Heading("Required", "num"), Heading("Achieved", "num"), Heading("Result"))
    read = wording.read_again(evidence)
    caption = f"Required by the policy, and achieved as recomputed from {read} by separate code."
    return Section("guarantee", "Guarantee on the written file", blocks.table(caption, headings, rows))


def _k_rows(evidence: Evidence) -> Iterator[Sequence[object]]:
    k = evidence["guarantee"]["k"]
    if k is None:
        return
    counted = k.get("counted") or ("rows" if k["units"] is None else "units")
    none = wording.missing(evidence)
    label = f"k over {'profiles of ' if counted == 'profiles' else ''}{wording.counted(evidence)}"
    failing = k.get("classes_failing")
    detail = blocks.sub(f"{figures.plural(failing, 'class')} below") if failing else None
    others = [
        f"over {kind} {figures.count(k[kind], none)}"
        for kind in ("rows", "units", "profiles")
        if kind != counted and (kind == "rows" or evidence["input"]["units"] is not None)
    ]
    achieved = blocks.figure(k["achieved"], figures.count(k["achieved"]), none)
    named = join("k-anonymity", blocks.sub(label), blocks.sub(", ".join(others)), detail)
    yield named, figures.count(k["required"]), achieved, blocks.status(k.get("holds"), none)


def _l_rows(evidence: Evidence) -> Iterator[Sequence[object]]:
    none = wording.missing(evidence)
    for column, part in evidence["guarantee"]["l"].items():
        label = join(f"l-diversity, {part['kind']}", blocks.quiet_name(column), _below(part))
        achieved = blocks.absent(none) if part["achieved"] is None else wording.diversity(part["achieved"])
        held = blocks.status(part.get("holds"), none)
        yield label, wording.diversity(part["required"], achieved=False), achieved, held


def _t_rows(evidence: Evidence) -> Iterator[Sequence[object]]:
    none = wording.missing(evidence)
    for column, part in evidence["guarantee"]["t"].items():
        label = join(f"t-closeness, {part['distance']}", blocks.quiet_name(column), _t_beside(part), _below(part))
        achieved = blocks.figure(part["achieved"], figures.at_most(part["achieved"]), none)
        yield label, join("≤ ", figures.number(part["required"])), achieved, blocks.status(part.get("holds"), none)


def _t_beside(part: T) -> Markup | None:
    beside = (("against the input", part["against_input"]), ("suppression moved", part.get("moved")))
    said = [f"{what} {figures.at_most(value)}" for what, value in beside if value is not None]
    return blocks.sub(", ".join(said)) if said else None


def _limit_row(evidence: Evidence) -> Iterator[Sequence[object]]:
    part, none = evidence["suppression"], wording.missing(evidence)
    if part["limit"] is not None:
        achieved = blocks.figure(part["rate"], figures.share(part["rate"]), none)
        allowed = part.get("limit_rows")
        rows = f"{figures.count(part['rows'])} rows, {figures.count(allowed)} allowed"
        label = join("Suppression", blocks.sub(rows) if part["rows"] is not None and allowed is not None else None)
        held = blocks.status(wording.within_limit(part), none)
        yield label, join("≤ ", figures.share(part["limit"])), achieved, held


def _threshold_rows(evidence: Evidence) -> Iterator[Sequence[object]]:
    none = wording.missing(evidence)
    for key, part in (evidence.get("thresholds") or {}).items():
        one, found = thresholds.measure(key), part.get("found")
        limit = f"{'≥' if one.least else '≤'} {one.shown(part['limit'])}"
        achieved = blocks.absent(none) if found is None else one.shown(found)
        label = join("Threshold", blocks.quiet_name(one.words))
        yield label, limit, achieved, blocks.status(part.get("holds"), none)


def _below(part: Mapping[str, Any]) -> Markup | None:
    failing = part.get("classes_failing")
    return blocks.sub(f"fails in {figures.plural(failing, 'class')}") if failing else None


# class sizes and risk ------------------------------------------------------------------------------------------------


def classes(evidence: Evidence) -> Section:
    found = evidence["classes"]
    if not found["sizes"]:
        return Section(
            "classes", "Class sizes", join(blocks.note("There are no equivalence classes."), _risk(evidence))
        )
    k = evidence["guarantee"]["k"]
    members = found.get("counted") or "rows"
    said = f"{figures.plural(found['count'], 'equivalence class')}, {figures.number(found['average'])} rows on average"
    said += wording.together(evidence, ", in this release together with") + "."
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
            figures.share(one["rows"] / total if total else None, aligned=True),
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
    rows = [(said, blocks.figure(risk[key], figures.share(risk[key]), _no_risk(key, evidence))) for key, said in RISKS]
    caption = "Chance of a correct link by class sizes alone, for an attacker who knows every quasi-identifier."
    heading = tag("h3", "Re-identification risk from class sizes")
    return join(heading, _curve(evidence), blocks.table(caption, (Heading("Risk"), Heading("Chance", "num")), rows))


def _curve(evidence: Evidence) -> Markup | None:
    """How much of the release is at a risk of at least 1 / n, for the n at which bins of class sizes begin."""
    bins, below = evidence["classes"]["sizes"], 0
    if not bins:
        return None
    total, points = sum(one["rows"] for one in bins), [(f"1/{figures.compact(bins[0]['from'])}", 0.0)]
    for one in bins:
        below += one["rows"]
        points.append((f"1/{figures.compact(one['to'] + 1)}", below / total if total else 0.0))
    lead = (
        "Risk curve: the share of released rows whose chance of a correct link is higher than the one below it, by the "
        "size of their class. Exact at the dots."
    )
    title = "Share of released rows by their chance of a correct link"
    return join(blocks.note(lead), svg.curve("risk", title, points))


def _no_risk(key: str, evidence: Evidence) -> str:
    return "no population table" if key == "journalist" else wording.missing(evidence)


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
    of = "" if total is None else f" of {figures.count(total)}"
    said = f"{figures.count(part['rows'])}{of} rows suppressed ({figures.share(part['rate'])})"
    if part["units_rate"] is not None:
        said += f"; {figures.share(part['units_rate'])} of units have no row left in the release"
    if part.get("uncovered"):
        said += f". {figures.count(part['uncovered'])} of these rows hold a value that a hierarchy lacks"
    if part.get("unlisted"):
        said += f". Of {figures.count(part['unlisted'])} of these rows the secret plan does not list the combination"
    return f"{said}."


def _who_bears(evidence: Evidence) -> Markup:
    groups, overall = evidence["suppression"]["groups"], evidence["suppression"]["rate"] or 0.0
    by_column = [(column, list(found)) for column, found in groupby(groups, key=lambda group: group["column"])]
    scale = max([overall, *(group["rate"] or 0.0 for group in groups if not group.get("rest"))]) or 1.0
    k = evidence["guarantee"]["k"]
    lead = (
        f"Share of each group's rows that was suppressed; the bars end at {figures.share(scale)}, the line marks "
        f"{figures.share(overall)} of all rows. Columns with the hardest-hit groups come first. Withheld: fewer than "
        f"{figures.count(k['required']) if k else 'k'}, or a count that would give such a one away."
    )
    by_column.sort(key=lambda pair: -max(group["rate"] or 0.0 for group in pair[1]))
    cards = [_card(column, found, scale, overall) for column, found in by_column]
    return join(blocks.note(lead), tag("div", cards, class_="cards"))


def _card(column: str, groups: Sequence[SuppressedGroup], scale: float, overall: float) -> Markup:
    ranked = sorted(groups, key=lambda group: (group["rate"] is None, -(group["rate"] or 0.0)))
    headings = (Heading("Group"), Heading("Suppressed", "bars"), Heading("Share", "num"))
    rows = [_group_row(group, scale, overall) for group in ranked[:MOST_GROUPS]]
    table = blocks.table(f"Suppressed rows by {figures.shortened(column, 60)}.", headings, rows, unseen=True)
    hidden = len(ranked) - MOST_GROUPS
    more = blocks.note(f"{figures.plural(hidden, 'more group')} in the JSON report.") if hidden > 0 else None
    return tag("div", tag("h3", blocks.name(column)), table, more)


def _group_row(group: SuppressedGroup, scale: float, overall: float) -> Sequence[object]:
    label = _group_label(group)
    rate, mark = group["rate"], overall / scale
    if rate is None:
        return label, svg.bar(None), blocks.absent("withheld")
    of = group.get("of")
    rows = figures.count(group["rows"]) + (f" of {figures.count(of)}" if of is not None else "")
    return label, svg.bar(rate / scale, mark), join(figures.share(rate, aligned=True), blocks.sub(rows))


def _group_label(group: SuppressedGroup) -> Markup:
    if group.get("rest"):
        return blocks.absent("all rarer groups")
    return blocks.absent("null") if group["group"] is None else blocks.name(group["group"], 40)
