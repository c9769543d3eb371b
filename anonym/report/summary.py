"""The evidence in short: a text for the terminal, and Markdown for a pull request."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from anonym.report import figures, limits, regulators, wording
from anonym.report.attacked import attacks_of
from anonym.report.difference import headlines, joint, weaker
from anonym.report.fields import Evidence, L, T
from anonym.report.regulators import Answer

WIDTH = 78
LABEL = 16
MOST_LINES = 25
MOST_SENTENCE = 7
HOLDS = {True: "holds", False: "does not hold", None: "nothing to judge"}

Line = tuple[str, str]


def render_text(evidence: Mapping[str, Any]) -> str:
    """At most 25 lines of at most 78 characters, without colour codes."""
    facts = cast(Evidence, evidence)
    verdict = facts["verdict"]
    sentence = textwrap.wrap(figures.visible(verdict["sentence"]), WIDTH)
    if len(sentence) > MOST_SENTENCE:
        sentence = [*sentence[: MOST_SENTENCE - 1], figures.shortened(" ".join(sentence[MOST_SENTENCE - 1 :]), WIDTH)]
    head = [*sentence, ""]
    body = [_line(label, said) for label, said in lines(facts)]
    room = MOST_LINES - len(head)
    if len(body) > room:
        body = [*body[: room - 1], _line("…", f"{len(body) - room + 1} more in the report")]
    return "\n".join([*head, *body]) + "\n"


def _line(label: str, said: str) -> str:
    start = f"  {figures.shortened(figures.visible(label), LABEL):<{LABEL}}  "
    return start + textwrap.shorten(figures.visible(said), WIDTH - len(start), placeholder=" …")


def lines(evidence: Evidence) -> Iterator[Line]:
    """The figures of a summary, label and figure."""
    yield "verdict", HOLDS[evidence["verdict"]["holds"]] + (", draft policy" if evidence["verdict"]["draft"] else "")
    yield ("not released" if wording.refused(evidence) else "released"), _released(evidence)
    yield from _promised(evidence)
    if limited := list((evidence.get("thresholds") or {}).values()):
        held, unknown = (sum(part.get("holds") is one for part in limited) for one in (True, None))
        without = f", {unknown} {wording.missing(evidence)}" if unknown else ""
        yield "thresholds", f"{held} of {len(limited)} hold{without}"
    found, ncp = evidence["classes"], evidence["loss"]["ncp"]
    average = "" if found["average"] is None else f", {figures.number(found['average'])} rows on average"
    yield "classes", f"{figures.count(found['count'])}{average}" + wording.together(evidence, ", with")
    yield (
        "loss (NCP)",
        f"{figures.decimal(ncp)} (0 untouched, 1 nothing left)" if ncp is not None else wording.missing(evidence),
    )
    plain = [column["name"] for column in evidence["columns"] if limits.untouched(column, evidence)]
    yield "untouched", figures.listed(plain, 6) or "no column"
    yield from _text(evidence)
    yield "attacks", _attacks(evidence)
    yield "training", _training(evidence)
    yield "checks", _checks(evidence)


def _released(evidence: Evidence) -> str:
    part, said = evidence["suppression"], wording.rows_of_input(evidence)
    if part["rows"]:
        said += f", {figures.count(part['rows'])} suppressed ({figures.share(part['rate'])})"
    return said if part["limit"] is None else f"{said}, limit {figures.share(part['limit'])}"


def _promised(evidence: Evidence) -> Iterator[Line]:
    guarantee = evidence["guarantee"]
    none = figures.NOT_APPLICABLE if evidence["output"]["rows"] == 0 else wording.missing(evidence)
    if (k := guarantee["k"]) is not None:
        counted = wording.counted(evidence)
        rows = f"; {figures.count(k['rows'])} over rows" if counted != "rows" and k["rows"] is not None else ""
        yield "k", f"{figures.count(k['achieved'], none)} over {counted}, {figures.count(k['required'])} required{rows}"
    diverse = [(f"l {column}", _l(part, none)) for column, part in guarantee["l"].items()]
    close = [(f"t {column}", _t(part, none)) for column, part in guarantee["t"].items()]
    yield from _few([*diverse, *close], 5)


def _l(part: L, none: str) -> str:
    achieved = none if part["achieved"] is None else wording.diversity(part["achieved"])
    return f"{achieved}, {wording.diversity(part['required'], achieved=False)} required, {part['kind']}"


def _t(part: T, none: str) -> str:
    return f"{figures.at_most(part['achieved'], none)}, {figures.number(part['required'])} allowed, {part['distance']}"


def _text(evidence: Evidence) -> Iterator[Line]:
    found = [(f"text {name}", _spans(part["spans"], part["documents"])) for name, part in evidence["text"].items()]
    yield from _few(found, 3)
    if wording.has_text(evidence):
        recall = evidence["recall"]
        yield "text recall", figures.share(recall["overall"]["rate"] if recall else None, wording.missing(evidence))


def _spans(spans: Mapping[str, int], documents: int) -> str:
    ranked = sorted(spans.items(), key=lambda pair: (-pair[1], pair[0]))
    kinds = ", ".join(f"{kind} {figures.count(number)}" for kind, number in ranked[:3])
    more = ", …" if len(ranked) > 3 else ""
    total = figures.plural(sum(spans.values()), "span")
    return f"{total} in {figures.plural(documents, 'text')}" + (f": {kinds}{more}" if kinds else "")


def _few(found: Sequence[Line], most: int) -> Sequence[Line]:
    if len(found) <= most:
        return found
    return [*found[: most - 1], ("…", f"{len(found) - most + 1} more in the report")]


def _attacks(evidence: Evidence) -> str:
    run = attacks_of(evidence)
    return ", ".join(f"{one['name']} {one['verdict'] or figures.share(one['rate'])}" for one in run) or "none run"


def _training(evidence: Evidence) -> str:
    part = evidence["training"]
    if part is None:
        return "none recorded"
    return figures.epsilon(part)


def _checks(evidence: Evidence) -> str:
    held = [check["held"] for check in evidence["verification"]["checks"]]
    if not held:
        return "none"
    return f"{held.count(True)} held, {held.count(False)} failed, {held.count(None)} not checked"


# Markdown ------------------------------------------------------------------------------------------------------------


def render_markdown(
    evidence: Mapping[str, Any], before: Mapping[str, Any] | None = None, joined: Mapping[str, Any] | None = None
) -> str:
    """One page: the verdict, its figures as a table, what changed since the release `before` where that is given,
    what it does not mean, what it does not show, and what regulators ask."""
    facts = cast(Evidence, evidence)
    verdict = facts["verdict"]
    parts = [
        f"## {escape(facts['policy']['name'])}: {HOLDS[verdict['holds']]}",
        escape(verdict["sentence"]),
        *(["\n".join(f"- {escape(reason)}" for reason in verdict["reasons"])] if verdict["reasons"] else []),
        "\n".join(["| | |", "|---|---|", *(f"| {escape(label)} | {escape(said)} |" for label, said in lines(facts))]),
        *([] if before is None else ["### Since the release before", "\n".join(_since(before, facts, joined))]),
        "### What this does not mean",
        "\n".join(f"- {said}" for said in wording.NOT_MEANT),
        "### What this does not show",
        "\n".join(f"- {escape(said)}" for said in facts["limits"]),
        "### What regulators ask",
        "\n".join(["| | measured | declared | not covered |", "|---|---|---|---|", *_asked(facts)]),
        f"Policy `{facts['policy']['sha256'][:12]}`, `{facts['schema']}`.",
    ]
    return "\n\n".join(parts) + "\n"


def _since(before: Mapping[str, Any], evidence: Evidence, joined: Mapping[str, Any] | None) -> Iterator[str]:
    yield from (f"- **weaker**: {escape(one)}" for one in weaker(before, evidence))
    yield from (
        f"- {escape(f'{label}: {old} → {new}')}" for label, old, new in headlines(before, evidence) if old != new
    )
    yield from (f"- {escape(one)}" for one in joint(before, evidence, joined))


def _asked(evidence: Evidence) -> Iterator[str]:
    """A row for each framework: what was measured, in numbers; then what was only declared, and what is not covered."""
    for framework, found in regulators.answers(evidence):
        told: dict[str, list[str]] = {"measured": [], "declared by the user": [], "not covered": []}
        for one in found:
            told[one.status].append(_short(one))
        cells = [framework.name, *("; ".join(dict.fromkeys(cell)) or "–" for cell in told.values())]
        yield f"| {' | '.join(map(escape, cells))} |"


def _short(one: Answer) -> str:
    """The first thing found, or the question where nothing was."""
    if one.status == "not covered":
        return one.question.asks
    return one.found[0] if one.status == "measured" else one.found[0].split(":")[0]


def escape(said: str) -> str:
    """Text that stays text in Markdown, also where raw HTML is allowed."""
    plain = figures.visible(said).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"([\\`*_{}\[\]#!|~])", r"\\\1", plain)
