"""What the evidence does not show, computed from what the policy did and what the run measured."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from anonym.report import figures, wording
from anonym.report.attacked import attacks_of

Facts = Mapping[str, Any]
MOST = 8  # names listed in a sentence; the table of columns has them all

COMPOSITION = (
    "Composition: guarantees do not add up over releases. Two releases about the same people can be joined to "
    "classes smaller than either promises."
)
MINIMALITY = (
    "Minimality and downcoding: the recoding gives up no more than it must, so whoever knows the policy and the "
    "method can sometimes narrow a released range below its label. This was not measured."
)
LOCAL = (
    "Local recoding: classes can lie inside one another, and whoever knows that can narrow cells of the outer ones "
    "(downcoding). One level a column for the whole table (`search: {strategy: global}`) leaves nothing to narrow so."
)
INFERENCE = (
    "Inference: what correlates can be inferred. A value may be predicted from the other columns for people inside "
    "and outside the release alike; k does not limit that, l and t limit it only within a class."
)
TRAINING = "No private training is recorded: a model trained on this release has no guarantee of its own."
ATTACKS = "No attack was run against this release."


def limits(evidence: Facts) -> list[str]:
    """The sentences, those of the caller first; each once."""
    found = [*(evidence.get("limits") or ()), *_of_guarantee(evidence), *_of_columns(evidence), *_of_text(evidence)]
    return list(dict.fromkeys([*found, *_of_run(evidence)]))


def _of_guarantee(evidence: Facts) -> Iterator[str]:
    quasi = named(evidence, "quasi")
    if not quasi and evidence["guarantee"]["k"] is None:
        yield "No quasi-identifiers are listed: nothing keeps a released row from being linked to a person."
        yield COMPOSITION
        return
    if (k := evidence["guarantee"]["k"]) is not None:
        names = figures.listed(quasi, MOST) or "by the policy"
        yield (
            f"k, l and t speak only of the listed quasi-identifiers ({names}). "
            "A further column that an attacker knows is not covered."
        )
        yield from _of_units(evidence, k)
    yield COMPOSITION
    if not any("downcoding" in attack["name"] for attack in attacks_of(evidence)):
        yield MINIMALITY
    yield INFERENCE


def _of_units(evidence: Facts, k: Facts) -> Iterator[str]:
    unit = evidence["input"].get("unit")
    if unit is None and evidence["input"]["units"] is None:
        yield "No unit is named, so k counts rows: a person with several rows counts several times."
    elif k.get("counted") == "rows" or (k["units"] is None and k["achieved"] is not None):
        yield "Units were not checked: k was counted over rows, and a person with several rows counts several times."
    if k.get("linkable"):
        yield (
            "Rows of one unit can be joined by something constant in the release; the policy accepts that "
            f"({k['linkable']}), so k does not hold for everything known about a unit together."
        )


def _of_columns(evidence: Facts) -> Iterator[str]:
    if names := [column["name"] for column in evidence["columns"] if untouched(column, evidence)]:
        said = "Whoever knows these values of someone can use them to find that person."
        yield f"Released untouched: {figures.listed(names, MOST)}. {said}"
    yield from _of_known(evidence)
    bare = [name for name in named(evidence, "sensitive") if name not in _promised(evidence)]
    if bare:
        yield (
            f"No l or t is promised for {figures.listed(bare, MOST)}: where all of a class have the same value, "
            "being in the class tells it."
        )
    if allowed := [column["name"] for column in evidence["columns"] if column.get("reason")]:
        yield f"Values that fewer than k hold may stay in {figures.listed(allowed, MOST)}: the policy declares it."
    if binned := [f"{column['name']} ({column['bins']})" for column in evidence["columns"] if "bins" in column]:
        yield f"l and t count values by bins, and the exact values are released: {figures.listed(binned, MOST)}."
    yield from _of_pseudonyms(evidence)


def _of_known(evidence: Facts) -> Iterator[str]:
    known = [
        (column["k_if_known"], column["name"]) for column in evidence["columns"] if column.get("k_if_known") is not None
    ]
    required = required_k(evidence)
    if low := sorted(pair for pair in known if pair[0] < required):
        said = [f"{name} (classes down to {figures.count(k)})" for k, name in low]
        yield f"k falls below {figures.count(required)} for someone who also knows {figures.listed(said, MOST)}."


def _of_pseudonyms(evidence: Facts) -> Iterator[str]:
    tokens = [column for column in evidence["columns"] if column["action"] in ("pseudonym", "surrogate")]
    if tokens:
        names = figures.listed((column["name"] for column in tokens), MOST)
        yield f"Pseudonymised columns ({names}) stay personal data: whoever holds the key can recompute the values."
    if lasting := [column["name"] for column in tokens if column.get("scope") == "project"]:
        names = figures.listed(lasting, MOST)
        yield f"The values of {names} are the same in every release of the project, so releases can be joined."


def _of_text(evidence: Facts) -> Iterator[str]:
    for name, text in sorted(evidence["text"].items()):
        if not text["ner"]:
            yield f"{name}: no model looked for names; only rules and patterns did."
        if "also_from" in text and not text["also_from"]:
            yield f"{name}: the row's own identifiers were not scrubbed from its text."
        if text["withheld"]:
            yield f"{name}: {figures.plural(text['withheld'], 'text')} could not be processed, so withheld as a whole."
    if wording.has_text(evidence):
        if evidence["recall"] is None:
            yield "Text: recall was not measured, so how much the scrubber missed is unknown."
        yield "Text: what is left can still tell who wrote it or whom it is about, by style, events or circumstances."


def _of_run(evidence: Facts) -> Iterator[str]:
    suppression, search = evidence["suppression"], evidence["search"]
    if suppression["rows"]:
        yield "Suppression removes the rare first: what is computed from the release is biased against small groups."
    if suppression.get("action") == "mask" and suppression["rows"]:
        yield "Empty rows stand where rows were suppressed, so their number is public."
    if evidence["output"].get("order") == "keep":
        yield "Rows keep the order of the input; whoever knows that order can find a row by its position."
    if search is not None and search["strategy"] == "local":
        yield LOCAL
    if search is not None and not search["reproducible"]:
        yield "The search had a budget in seconds, so another machine may find another release."
    if held := evidence["input"].get("held_out_rows"):
        rows = figures.plural(held, "row")
        yield f"{rows} of the input were held out as a control of the attacks: neither released nor counted above."
    if batch := evidence.get("batch"):
        files, rows = figures.plural(batch["files"], "file"), figures.plural(batch["rows"], "row")
        yield (
            f"k, l, t, classes and risk are those of this release together with {files} released before ({rows}): "
            "whoever can tell its rows apart from those finds smaller classes."
        )
        if evidence["input"].get("unit") is None:
            yield "Without a unit every row counts as a person, so nobody may have rows in two of these files."
    if gone := evidence["input"].get("excluded_units"):
        yield (
            f"{figures.plural(gone, 'unit')} who withdrew were left out: whoever also has a release that holds them "
            "can compare the two."
        )
    if not attacks_of(evidence):
        yield ATTACKS
    if evidence["training"] is None:
        yield TRAINING


def named(evidence: Facts, role: str) -> list[str]:
    """The names of the columns of a role, in input order."""
    return [column["name"] for column in evidence["columns"] if column["role"] == role]


def untouched(column: Facts, evidence: Facts) -> bool:
    """Whether a column is released as it is: keep, sensitive, or a quasi-identifier at level 0."""
    if column["role"] in ("keep", "sensitive"):
        return True
    return column["role"] == "quasi" and chosen_levels(evidence).get(column["name"]) == 0


def chosen_levels(evidence: Facts) -> Mapping[str, int]:
    """Column to the level that a global recoding released it at; empty for local recoding or without a search."""
    return (evidence["search"] or {}).get("levels") or {}


def required_k(evidence: Facts) -> int:
    """The k that was promised, 0 where none was."""
    k = evidence["guarantee"]["k"]
    return 0 if k is None else int(k["required"])


def _promised(evidence: Facts) -> set[str]:
    return {*evidence["guarantee"]["l"], *evidence["guarantee"]["t"]}
