"""The first screen below the key figures: who bears the suppression, what is untouched, attacks, text, training."""

from __future__ import annotations

from collections.abc import Iterator

from anonym.report import blocks, figures, limits, wording
from anonym.report.attacked import attacks_of
from anonym.report.fields import Attack, Evidence, SuppressedGroup
from anonym.report.markup import Markup, join, tag

MOST = 3  # groups and attacks shown; the sections below have them all
ORDER = {"fail": 0, "inconclusive": 1, "pass": 2, "too_weak": 3, None: 4}


def glance(evidence: Evidence) -> Markup:
    """A list of terms and what was found."""
    refused = wording.refused(evidence)
    pairs = [
        *([("l and t", _l_and_t(evidence))] if evidence["guarantee"]["l"] or evidence["guarantee"]["t"] else []),
        ("Untouched" if refused else "Released untouched", _untouched(evidence)),
        ("Suppression falls on", _hardest(evidence)),
        ("Attacks", _attacks(evidence)),
        ("Text", _text(evidence)),
        ("Private training", _training(evidence)),
    ]
    return tag("div", tag("h3", "At a glance"), blocks.facts(pairs), class_="glance")


def _l_and_t(evidence: Evidence) -> object:
    """Achieved and required, what does not hold first."""
    none, guarantee = wording.missing(evidence), evidence["guarantee"]
    found: list[tuple[bool | None, str]] = []
    for name, diverse in guarantee["l"].items():
        achieved = none if diverse["achieved"] is None else wording.diversity(diverse["achieved"])
        needed = wording.diversity(diverse["required"], achieved=False)
        said = f"{diverse['kind']} l of {figures.shortened(name, 40)}: {achieved}, {needed} required"
        found.append((diverse.get("holds"), said))
    for name, close in guarantee["t"].items():
        achieved = figures.at_most(close["achieved"], none)
        said = f"{close['distance']} t of {figures.shortened(name, 40)}: {achieved}"
        found.append((close.get("holds"), f"{said}, {figures.number(close['required'])} allowed"))
    ranked = [said for _, said in sorted(found, key=lambda one: (False, None, True).index(one[0]))]
    rest = len(ranked) - MOST
    more = blocks.sub(f"and {figures.plural(rest, 'more promise')} below") if rest > 0 else None
    return join([blocks.line(said) for said in ranked[:MOST]], more)


def _untouched(evidence: Evidence) -> object:
    names = [column["name"] for column in evidence["columns"] if limits.untouched(column, evidence)]
    if not names:
        return "no column"
    shown = figures.listed((figures.shortened(name, 60) for name in names), 12)
    return tag("span", shown, class_="status warn words name")


def _hardest(evidence: Evidence) -> object:
    part = evidence["suppression"]
    if not part["rows"]:
        return "nobody: no row was suppressed" if part["rows"] == 0 else blocks.absent()
    ranked = sorted(
        (one for one in part["groups"] if one["rate"] is not None and not one.get("rest")),
        key=lambda one: -(one["rate"] or 0.0),
    )
    harder = [one for one in ranked if (one["rate"] or 0.0) > (part["rate"] or 0.0)][:MOST]
    if not harder:
        return "no group that can be shown bears more than the mean"
    said = figures.listed(map(_group, harder))
    return f"{said}; {figures.share(part['rate'])} of all rows"


def _group(one: SuppressedGroup) -> str:
    label = "null" if one["group"] is None else figures.shortened(one["group"], 40)
    return f"{figures.shortened(one['column'], 40)} {label} ({figures.share(one['rate'])})"


def _attacks(evidence: Evidence) -> object:
    tried = attacks_of(evidence)
    run = [one for one in tried if one["rate"] is not None]
    if not run:
        return blocks.absent("none run" if not tried else figures.NOT_MEASURED)
    ranked = sorted(run, key=lambda one: (ORDER.get(one["verdict"], 4), one["control"] is None))
    rest = len(tried) - len(ranked[:MOST])
    more = blocks.sub(f"and {figures.plural(rest, 'more attack')} below") if rest else None
    return join([blocks.line(_attack(one)) for one in ranked[:MOST]], more)


def _attack(one: Attack) -> str:
    beside = (("control", one["control"]), ("guessing", one["baseline"]))
    said = ", ".join(f"{kind} {figures.share(value)}" for kind, value in beside if value is not None)
    verdict = (one["verdict"] or "no threshold").replace("_", " ")
    return f"{one['name']}: {figures.share(one['rate'])} ({said or 'no control'}), {verdict}"


def _text(evidence: Evidence) -> object:
    if not wording.has_text(evidence):
        return figures.NOT_APPLICABLE
    spans = sum(sum(part["spans"].values()) for part in evidence["text"].values())
    found = f"{figures.plural(spans, 'span')} replaced; "
    recall = evidence["recall"]
    if recall is None or recall["overall"]["rate"] is None:
        return join(found, blocks.absent("text: recall not measured"))
    whole = recall["overall"]
    of = figures.plural(whole["of"], "labelled span")
    return f"{found}recall {figures.share(whole['rate'])} of {of}, at least {figures.share(whole['low'])}"


def _training(evidence: Evidence) -> object:
    return "; ".join(_epsilon(evidence)) or blocks.absent("none recorded")


def _epsilon(evidence: Evidence) -> Iterator[str]:
    part = evidence["training"]
    if part is not None:
        yield f"ε {figures.at_most(part['epsilon'])} per {part['unit']} at δ {part['delta']:g}"
        yield f"adjacency: {part['adjacency']}"
        yield f"sampler: {part['sampler']}"
        yield f"accountant: {part['accountant']}"
