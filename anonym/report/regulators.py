"""What regulators ask, beside what this evidence has to say: measured, declared by the user, or not covered.

The questions are data, in `rules/regulators.yaml`; here are the measures and declarations that its items name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

import yaml

from anonym.report import figures, limits, wording
from anonym.report.attacked import attacks_of
from anonym.rules import rules_folder

Facts = Mapping[str, Any]
Status = Literal["measured", "declared by the user", "not covered"]
SAY = Callable[[Facts], str | None]
"""What the evidence says, in words with numbers; None where it says nothing."""


@dataclass(frozen=True)
class Question:
    """One thing that a framework asks: the measures and declarations that answer it, and what none of them does."""

    asks: str
    by: tuple[str, ...] = ()
    told: tuple[str, ...] = ()
    gap: str | None = None


@dataclass(frozen=True)
class Framework:
    """An opinion, standard or catalogue, with the source of its questions."""

    name: str
    title: str
    url: str
    questions: tuple[Question, ...]


@dataclass(frozen=True)
class Answer:
    """A question with its status, what was found, and what is lacking; `found` is empty where it is not covered."""

    question: Question
    status: Status
    found: tuple[str, ...]
    lacking: tuple[str, ...]


@cache
def frameworks() -> tuple[Framework, ...]:
    """The shipped questions. Raises KeyError for a measure or declaration that is not known here."""
    content = yaml.safe_load((rules_folder() / "regulators.yaml").read_text(encoding="utf-8"))
    return tuple(
        Framework(one["name"], one["title"], one["url"], tuple(map(_question, one["items"])))
        for one in content["frameworks"]
    )


def _question(item: Mapping[str, Any]) -> Question:
    by, told = tuple(item.get("by", ())), tuple(item.get("told", ()))
    if unknown := [name for name in by if name not in MEASURES] + [name for name in told if name not in DECLARED]:
        raise KeyError(f"regulators.yaml names what is not known: {', '.join(unknown)}")
    return Question(item["asks"], by, told, item.get("gap"))


def answers(evidence: Facts) -> list[tuple[Framework, list[Answer]]]:
    """Every question of every framework, answered from complete evidence."""
    return [(one, [_answer(question, evidence) for question in one.questions]) for one in frameworks()]


def _answer(question: Question, evidence: Facts) -> Answer:
    measured = {name: MEASURES[name][1](evidence) for name in question.by}
    told = [said for name in question.told if (said := DECLARED[name][1](evidence)) is not None]
    numbers = [said for said in measured.values() if said is not None]
    status: Status = "measured" if numbers else "declared by the user" if told else "not covered"
    lacking = [MEASURES[name][0] for name, said in measured.items() if said is None]
    lacking += [DECLARED[name][0] for name in question.told if DECLARED[name][1](evidence) is None]
    return Answer(question, status, (*numbers, *told), (*lacking, *([question.gap] if question.gap else [])))


def totals(evidence: Facts) -> dict[Status, int]:
    """How many questions have each status."""
    counts: dict[Status, int] = {"measured": 0, "declared by the user": 0, "not covered": 0}
    for _, found in answers(evidence):
        for one in found:
            counts[one.status] += 1
    return counts


# measures ------------------------------------------------------------------------------------------------------------


def _k(evidence: Facts) -> str | None:
    k = evidence["guarantee"]["k"]
    if k is None or k["achieved"] is None:
        return None
    return f"k {figures.count(k['achieved'])} over {wording.counted(evidence)}, {figures.count(k['required'])} required"


def _profiles(evidence: Facts) -> str | None:
    k = evidence["guarantee"]["k"]
    found = None if k is None else k["profiles"]
    return None if found is None else f"every profile of a unit is shared by at least {figures.plural(found, 'unit')}"


def _l(evidence: Facts) -> str | None:
    found = evidence["guarantee"]["l"].items()
    said = [f"{one['kind']} l of {name} {wording.diversity(one['achieved'])}" for name, one in found if _reached(one)]
    return figures.listed(said, 3) or None


def _t(evidence: Facts) -> str | None:
    found = evidence["guarantee"]["t"].items()
    said = [f"t of {name} {figures.at_most(one['achieved'])}" for name, one in found if _reached(one)]
    return figures.listed(said, 3) or None


def _reached(one: Facts) -> bool:
    return one["achieved"] is not None


def _risk(key: str, words: str) -> SAY:
    def say(evidence: Facts) -> str | None:
        value = evidence["risk"][key]
        return None if value is None else f"{words} {figures.share(value)}"

    return say


def _attack(*beginnings: str) -> SAY:
    """The success of the attacks whose names begin so; one that was too weak to tell anything is no measure."""

    def say(evidence: Facts) -> str | None:
        run = [one for one in attacks_of(evidence) if one["name"].startswith(beginnings)]
        said = [_success(one) for one in run if one["rate"] is not None and one["verdict"] != "too_weak"]
        return figures.listed(said, 3) or None

    return say


def _success(one: Facts) -> str:
    beside = "" if one["control"] is None else f", control {figures.share(one['control'])}"
    verdict = "" if one["verdict"] is None else f", {one['verdict']}"
    return f"{one['name']} {figures.share(one['rate'])} of {figures.count(one['targets'])}{beside}{verdict}"


def _keep_known(evidence: Facts) -> str | None:
    known = [one["k_if_known"] for one in evidence["columns"] if one.get("k_if_known") is not None]
    return f"k {figures.count(min(known))} for an attacker who knows a released column too" if known else None


def _roles(evidence: Facts) -> str | None:
    columns = evidence["columns"]
    return f"{figures.plural(len(columns), 'column')}, each with a role" if columns else None


def _of_role(*roles: str) -> Callable[[Facts], list[Facts]]:
    return lambda evidence: [one for one in evidence["columns"] if one["role"] in roles]


def _identifiers(evidence: Facts) -> str | None:
    names = [one["name"] for one in _of_role("identifier")(evidence)]
    held = [
        one["held"]
        for one in evidence["verification"]["checks"]
        if one["name"].startswith(("identifiers in", "own identifiers", "dropped columns"))
    ]
    if not names or not held or None in held:  # without an identifier column, nothing tells what to look for
        return None
    return (
        f"{figures.plural(len(names), 'identifier column')}; {held.count(True)} of {len(held)} searches found none left"
    )


def _quasi(evidence: Facts) -> str | None:
    names = limits.named(evidence, "quasi")
    return f"{figures.plural(len(names), 'quasi-identifier')} treated" if names else None


def _dropped(evidence: Facts) -> str | None:
    gone = [one for one in evidence["columns"] if one["action"] == "drop"]
    return f"{len(gone)} of {figures.plural(len(evidence['columns']), 'column')} dropped" if gone else None


def _tokens(evidence: Facts) -> str | None:
    tokens = [one for one in evidence["columns"] if one["action"] in ("pseudonym", "surrogate", "shift")]
    return f"{figures.plural(len(tokens), 'column')} of keyed tokens, which stay personal data" if tokens else None


def _text_spans(evidence: Facts) -> str | None:
    if not evidence["text"]:
        return None
    found = sum(sum(part["spans"].values()) for part in evidence["text"].values())
    return f"{figures.plural(found, 'span')} replaced in text"


def _secrets(evidence: Facts) -> str | None:
    """Nothing where none was found: the evidence does not tell whether any were looked for."""
    found = sum(part["spans"].get("SECRET", 0) for part in evidence["text"].values())
    return f"{figures.plural(found, 'secret')} replaced in text" if found else None


def _recall(evidence: Facts) -> str | None:
    recall = evidence["recall"]
    if recall is None or recall["overall"]["rate"] is None:
        return None
    whole = recall["overall"]
    rate, low = figures.share(whole["rate"]), figures.share(whole["low"])
    return f"text recall {rate} of {figures.plural(whole['of'], 'labelled span')}, at least {low}"


def _ncp(evidence: Facts) -> str | None:
    ncp = evidence["loss"]["ncp"]
    return None if ncp is None else f"loss (NCP) {figures.decimal(ncp)}"


def _suppression(evidence: Facts) -> str | None:
    part = evidence["suppression"]
    return None if part["rate"] is None else f"{figures.share(part['rate'])} of rows suppressed"


def _checks(evidence: Facts) -> str | None:
    held = [one["held"] for one in evidence["verification"]["checks"]]
    return f"{held.count(True)} of {len(held)} checks of the written file held" if held else None


def _hashes(evidence: Facts) -> str | None:
    named = ["policy", *(["release's classes"] if evidence["output"]["digest"] else [])]
    named += ["input's classes (keyed)"] if evidence["input"]["digest"] else []
    named += sorted(evidence["environment"].get("files", {}))
    return f"SHA-256 of {figures.listed(named, 5)}"


def _training(key: str) -> SAY:
    def say(evidence: Facts) -> str | None:
        part = evidence["training"] or {}
        return TRAINING[key](part) if part.get(key) else None

    return say


TRAINING: Mapping[str, Callable[[Facts], str]] = {
    "epsilon": figures.epsilon,
    "unit": lambda part: f"unit {part['unit']}, {part['adjacency']}",
    "ledger": lambda part: f"ledger of {figures.plural(part['ledger']['entries'], 'entry')}",
    "dropped": lambda part: f"records left out by {figures.plural(len(part['dropped']), 'group')}",
    "audits": lambda part: f"{figures.plural(len(part['audits']), 'audit')} of the trained model",
}

MEASURES: Mapping[str, tuple[str, SAY]] = {
    "k": ("k-anonymity", _k),
    "profiles": ("k over profiles", _profiles),
    "l": ("l-diversity", _l),
    "t": ("t-closeness", _t),
    "prosecutor": ("prosecutor risk", _risk("prosecutor_max", "highest prosecutor risk")),
    "journalist": ("journalist risk", _risk("journalist", "journalist risk")),
    "marketer": ("marketer risk", _risk("marketer", "marketer risk")),
    "keep_known": ("k with released columns known", _keep_known),
    "uniqueness": ("uniqueness attack", _attack("uniqueness")),
    "population": ("population uniqueness", _attack("population uniqueness")),
    "linkage": ("linkage attack", _attack("linkage")),
    "intersection": ("attack across releases", _attack("intersection")),
    "pseudonym_attack": ("attack on pseudonyms", _attack("pseudonyms of")),
    "inference": ("inference attack", _attack("inference of")),
    "membership": ("membership attack", _attack("membership")),
    "copies": ("search for copies of training rows", _attack("copies", "near-copies")),
    "residue": ("search for identifiers left in text", _attack("identifiers left")),
    "intruder": ("motivated intruder exercise", _attack("motivated intruder")),
    "downcoding": ("downcoding attack", _attack("downcoding")),
    "roles": ("roles of columns", _roles),
    "identifiers": ("search for identifiers", _identifiers),
    "quasi": ("quasi-identifiers", _quasi),
    "dropped": ("columns dropped", _dropped),
    "tokens": ("keyed tokens", _tokens),
    "text_spans": ("text scrubbed", _text_spans),
    "secrets": ("secrets in text", _secrets),
    "recall": ("text recall", _recall),
    "ncp": ("loss", _ncp),
    "suppression": ("suppression", _suppression),
    "checks": ("checks of the written file", _checks),
    "hashes": ("hashes", _hashes),
    "epsilon": ("ε of training", _training("epsilon")),
    "training_unit": ("unit of training", _training("unit")),
    "ledger": ("ledger of training", _training("ledger")),
    "training_groups": ("subgroups in training", _training("dropped")),
    "audits": ("audit of a trained model", _training("audits")),
}


# declarations --------------------------------------------------------------------------------------------------------


def _threat(key: str) -> SAY:
    def say(evidence: Facts) -> str | None:
        told = (evidence.get("threat_model") or {}).get(key)
        return f"{key}: {told}" if told else None

    return say


def _reviewed(evidence: Facts) -> str | None:
    review = evidence["policy"]["reviewed"]
    return f"reviewed by {review['by']}, {review['date']}" if review else None


DECLARED: Mapping[str, tuple[str, SAY]] = {
    "attacker": ("attacker", _threat("attacker")),
    "auxiliary": ("what the attacker can look up", _threat("auxiliary")),
    "exposure": ("release model", _threat("exposure")),
    "reviewed": ("review", _reviewed),
}
