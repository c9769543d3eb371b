"""The report as one self-contained HTML page: no script, no network, readable on a phone, on a desk and on paper."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, cast

from anonym.report import asked, blocks, figures, glance, promised, scrubbed, tested, treated, verified, wording
from anonym.report.attacked import attacks_of
from anonym.report.blocks import Section
from anonym.report.fields import Evidence
from anonym.report.markup import Markup, join, tag

CONTENT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"

# Media queries stand in attributes: the page holds no `@` of its own, so a search for addresses needs no exception.
STYLES = (
    ("base", None),
    ("dark", "(prefers-color-scheme: dark)"),
    ("desk", "(min-width: 70rem)"),
    ("phone", "(max-width: 30rem)"),
    ("small", "(max-width: 21rem)"),
    ("print", "print"),
)

SECTIONS = (
    promised.guarantee,
    promised.classes,
    promised.suppression,
    treated.loss,
    treated.columns,
    scrubbed.text,
    asked.threats,
    tested.attacks,
    tested.training,
    treated.search,
    verified.verification,
    verified.limitations,
    asked.asked,
    verified.environment,
)


def render(
    evidence: Mapping[str, Any], before: Mapping[str, Any] | None = None, joined: Mapping[str, Any] | None = None
) -> str:
    """The page of complete evidence (`evidence.complete`); with that of the release before, also what changed, and
    what the two tell `joined`."""
    facts = cast(Evidence, evidence)
    sections = [section(facts) for section in SECTIONS]
    main = tag(
        "main",
        _header(facts),
        _verdict(facts),
        _tiles(facts),
        glance.glance(facts),
        asked.changed(facts, before, joined),
        [section.render(number) for number, section in enumerate(sections, start=1)],
        _signature(),
    )
    body = tag("body", tag("div", _contents(sections), main, class_="page"))
    return f"<!DOCTYPE html>\n{tag('html', _head(facts), body, lang='en')}\n"


def _head(evidence: Evidence) -> Markup:
    return tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=CONTENT_POLICY),
        tag("meta", name="referrer", content="no-referrer"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("link", rel="icon", href="data:,"),
        tag("title", f"{_kind(evidence).split(':')[0]}: {evidence['policy']['name']}"),
        [tag("style", _stylesheet(name), media=media) for name, media in STYLES],
    )


@cache
def _stylesheet(name: str) -> Markup:
    return Markup((files("anonym.report") / "styles" / f"{name}.css").read_text(encoding="utf-8"))


def _contents(sections: Sequence[Section]) -> Markup:
    entries = [tag("li", tag("a", section.title, href=f"#{section.key}")) for section in sections]
    return tag("nav", tag("ol", entries), aria_label="Contents")


# first screen --------------------------------------------------------------------------------------------------------


def _header(evidence: Evidence) -> Markup:
    said = [tag("span", part) for part in _meta(evidence)]
    return tag(
        "header",
        tag("p", _kind(evidence), class_="eyebrow"),
        tag("h1", blocks.name(evidence["policy"]["name"])),
        tag("p", said, class_="meta"),
    )


def _kind(evidence: Evidence) -> str:
    return "Evidence of a refused run: nothing was released" if wording.refused(evidence) else "Evidence of release"


def _meta(evidence: Evidence) -> Iterator[object]:
    review = evidence["policy"]["reviewed"]
    yield f"Reviewed by {review['by']}, {review['date']}" if review else "Policy not reviewed"
    yield join("Policy ", tag("code", evidence["policy"]["sha256"][:12]))
    written = "Written, rejected and not released" if wording.refused(evidence) else "Released"
    yield f"{written}: {wording.rows_of_input(evidence)}"
    for name in evidence["output"].get("paths", ())[:3]:
        yield tag("code", name)


VERDICT_PILLS = {
    True: ("good", "✓ Promise holds"),
    False: ("bad", "✗ Promise does not hold"),
    None: ("", "Nothing to judge"),
}


def _verdict(evidence: Evidence) -> Markup:
    verdict = evidence["verdict"]
    kind, said = VERDICT_PILLS[verdict["holds"]]
    pills = [tag("span", said, class_=f"pill {kind}".strip())]
    if verdict["draft"]:
        pills.insert(0, tag("span", "Draft policy", class_="pill warn"))
        kind = "bad" if verdict["holds"] is False else "warn"
    reasons = tag("ul", [tag("li", reason) for reason in verdict["reasons"]]) if len(verdict["reasons"]) > 1 else None
    box = tag(
        "div",
        tag("h2", "Verdict", pills),
        tag("p", verdict["sentence"], class_="sentence"),
        reasons,
        class_=f"verdict {kind}".strip(),
    )
    return join(box, _not_meant(evidence))


def _not_meant(evidence: Evidence) -> Markup:
    tokens = any(column["action"] in ("pseudonym", "surrogate") for column in evidence["columns"])
    said = [*wording.NOT_MEANT, *([wording.PSEUDONYMS_STAY] if tokens else [])]
    heading = tag("h3", "What this verdict does not mean")
    return tag("div", heading, tag("ul", [tag("li", one) for one in said]), class_="not-meant")


def _tiles(evidence: Evidence) -> Markup:
    tiles = [
        tag(
            "div",
            tag("dt", label),
            tag("dd", figure, class_="big" if measured else "big none"),
            tag("dd", sub, class_="sub"),
        )
        for label, measured, figure, sub in _key_figures(evidence)
    ]
    return tag("dl", tiles, class_="tiles")


def _key_figures(evidence: Evidence) -> Iterator[tuple[str, bool, str, str]]:
    k, suppression, ncp = evidence["guarantee"]["k"], evidence["suppression"], evidence["loss"]["ncp"]
    none = wording.missing(evidence)
    if k is None:
        yield "k", False, figures.NOT_APPLICABLE, "no quasi-identifier"
    else:
        achieved = k["achieved"]
        required = f"{figures.count(k['required'])} required, over {wording.counted(evidence)}"
        yield "k", achieved is not None, figures.count(achieved, none), required
    limit = suppression["limit"]
    allowed = "no limit" if limit is None else f"{figures.share(limit)} allowed"
    yield "Rows suppressed", suppression["rate"] is not None, figures.share(suppression["rate"], none), allowed
    yield "Loss (NCP)", ncp is not None, figures.decimal(ncp, none), "0 untouched, 1 nothing left"
    yield from _tested_figures(evidence)


def _tested_figures(evidence: Evidence) -> Iterator[tuple[str, bool, str, str]]:
    recall, training = evidence["recall"], evidence["training"]
    if not wording.has_text(evidence):
        yield "Text recall", False, figures.NOT_APPLICABLE, "no text column"
    else:
        spans = sum(sum(part["spans"].values()) for part in evidence["text"].values())
        found = f"{figures.plural(spans, 'span')} replaced"
        rate = recall["overall"]["rate"] if recall else None
        yield "Text recall", rate is not None, figures.share(rate, wording.missing(evidence)), found
    run = attacks_of(evidence)
    verdicts = Counter((one["verdict"] or "no threshold").replace("_", " ") for one in run)
    said = ", ".join(f"{number} {verdict}" for verdict, number in sorted(verdicts.items()))
    yield "Attacks", bool(run), figures.count(len(run)) if run else "none run", said or "not tried"
    if training is None:
        yield "Private training", False, "none recorded", "no ε"
    else:
        yield (
            "Private training",
            True,
            f"ε {figures.at_most(training['epsilon'])}",
            f"per {training['unit']}, δ {training['delta']:g}",
        )


def _signature() -> Markup:
    lines = ("Assessed by", "Date", "Signature", "Next assessment due")
    return join(
        tag("div", [tag("div", line) for line in lines], class_="sign"),
        tag("footer", "Written by anonym. The same evidence is in the JSON report beside this page."),
    )
