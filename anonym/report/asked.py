"""Sections on the assessment around the numbers: the threat model, and what regulators ask."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from anonym.report import blocks, difference, figures, limits, regulators, wording
from anonym.report.blocks import Heading, Section
from anonym.report.fields import Evidence
from anonym.report.markup import Markup, join, tag
from anonym.report.regulators import Answer, Framework

NO_EARLIER = "No earlier report was given: what changed since the release before is not known here."
THREATS = (
    ("attacker", "Attacker"),
    ("auxiliary", "What the attacker can look up"),
    ("exposure", "Release model"),
)
KINDS = {"measured": "good", "declared by the user": "warn", "not covered": "none"}


def changed(evidence: Evidence, before: Mapping[str, Any] | None, joined: Mapping[str, Any] | None) -> Markup:
    """For the first screen: what changed since the release before, what is weaker first."""
    heading = tag("h3", "Since the release before")
    if before is None:
        return tag("div", heading, blocks.note(NO_EARLIER), class_="since")
    weaker = [tag("li", tag("strong", "weaker: ", class_="below"), one) for one in difference.weaker(before, evidence)]
    further = [tag("li", one) for one in difference.joint(before, evidence, joined)]
    headings = (Heading("Of"), Heading("Before", "words"), Heading("Now", "words"))
    told = [pair for pair in difference.headlines(before, evidence) if pair[1] != pair[2]]
    caption = f"What differs from the report of {before['policy']['name']} given with this one."
    table = blocks.table(caption, headings, told) if told else blocks.note("None of the figures below differs.")
    listed = tag("ul", weaker, further) if weaker or further else None
    return tag("div", heading, listed, table, class_="since")


def threats(evidence: Evidence) -> Section:
    """The threat model: what the policy declares, and what this run tells of it."""
    told = evidence.get("threat_model") or {}
    missing = blocks.absent("not declared")
    declared: list[tuple[str, object]] = [(said, told.get(key) or missing) for key, said in THREATS]
    known = limits.named(evidence, "quasi")
    further = [column["name"] for column in evidence["columns"] if limits.untouched(column, evidence)]
    run: list[tuple[str, object]] = [
        ("Assumed known", figures.listed(known, 12) or "no quasi-identifier is listed"),
        ("Released beside it, untouched", figures.listed(further, 12) or "nothing"),
        ("Counted", wording.counted(evidence)),
        ("Order of the rows", {"shuffle": "shuffled", "keep": "as in the input"}.get(_order(evidence), "not told")),
    ]
    body = join(
        blocks.note("The policy declares the first three; nothing measures whether they are true."),
        blocks.facts([*declared, *run]),
    )
    return Section("threats", "Threat model", body)


def _order(evidence: Evidence) -> str:
    return evidence["output"].get("order", "")


def asked(evidence: Evidence) -> Section:
    """What regulators ask, question by question."""
    counts = regulators.totals(evidence)
    said = ", ".join(f"{number} {status}" for status, number in counts.items())
    headings = (Heading("Asked, and its status", "asks"), Heading("Found, and lacking", "words"))
    bodies = [_framework(headings, *pair) for pair in regulators.answers(evidence)]
    caption = (
        f"{figures.plural(sum(counts.values()), 'question')}: {said}. A measure answers a question only in part, and "
        "none of this is a legal finding."
    )
    return Section("asked", "What regulators ask", blocks.framed(caption, headings, *bodies))


def _framework(headings: Sequence[Heading], framework: Framework, found: Sequence[Answer]) -> Markup:
    title = tag("span", f" {framework.title}", class_="note")
    group = tag("tr", tag("th", framework.name, title, scope="rowgroup", colspan=len(headings)))
    return tag("tbody", group, [blocks.row(headings, _answer(one)) for one in found], class_="role")


def _answer(one: Answer) -> Sequence[object]:
    status = tag("span", one.status, class_=f"line status {KINDS[one.status]}")
    lacking = blocks.sub(f"Lacking: {'; '.join(one.lacking)}") if one.lacking else None
    return join(one.question.asks, status), join("; ".join(one.found), lacking)
