"""What a policy will do, in plain words, without looking at the data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from anonym.columns.actions import joins_rows
from anonym.policy.explain_columns import column, line, number
from anonym.policy.lint import notes
from anonym.policy.model import Identifier, Keep, Policy, Quasi, Sensitive, Text
from anonym.policy.resolve import ResolvedColumn
from anonym.policy.schema import AttackLimitShape, ThresholdsShape

_REPLACED = {
    "tag": "the tag of its kind, such as <PERSON>",
    "mask": "stars",
    "surrogate": "an invented value of its kind",
    "pseudonym": "a keyed token",
}


def explain(policy: Policy, resolved: Sequence[ResolvedColumn] | None = None, seen: Sequence[str] = ()) -> str:
    """The policy in words: columns (of the input, if `resolved`), guarantee, search, text, order, notes and limits.

    `seen` are notes on the data, which follow those on the policy.
    """
    sections = (
        ("", list(_head(policy))),
        ("Columns", list(_columns(policy, resolved))),
        ("Guarantee", list(_guarantee(policy))),
        ("Search", list(_search(policy))),
        ("Text", list(_text(policy))),
        ("Attacks", list(_attacks(policy))),
        ("Thresholds", list(_thresholds(policy))),
        ("Output", list(_output(policy))),
        ("To look at", [*notes(policy, resolved), *seen]),
        ("What this does not give", list(_limits(policy))),
    )
    return "\n\n".join(_section(title, lines) for title, lines in sections if lines) + "\n"


def _section(title: str, lines: Sequence[str]) -> str:
    return "\n".join([title, *(f"  {line}" for line in lines)] if title else lines)


def _head(policy: Policy) -> Iterator[str]:
    yield f"Policy {line(policy.name)}, sha256 {policy.sha256}"
    if policy.reviewed is None:
        yield "Draft policy, not reviewed."
    else:
        yield f"Reviewed by {line(policy.reviewed.by)} on {policy.reviewed.date.isoformat()}."
    if policy.input.flatten:
        yield f"Every field of {', '.join(map(line, policy.input.flatten))} is a column of its own."
    for key, words in policy.threat_model.items():
        yield f"Threat model, {key}: {line(words)}"
    if policy.training is not None:
        trained = policy.training
        whom = policy.unit or "record"
        yield f"Private training: at most ε {trained.limit:g} per {whom} at δ {trained.delta:g}, fixed before training"


def _columns(policy: Policy, resolved: Sequence[ResolvedColumn] | None) -> Iterator[str]:
    if resolved is None:
        for entry, role in policy.columns.items():
            yield from column(entry, role)
        yield "any other column: " + ("the run stops (status 4)" if policy.unlisted == "refuse" else "not released")
        return
    for one in resolved:
        origin = "" if one.pattern == one.name else f" (by {one.pattern or '`unlisted`'})"
        yield from column(f"{one.name}{origin}", one.role)


def _guarantee(policy: Policy) -> Iterator[str]:
    quasi = [name for name, role in policy.columns.items() if isinstance(role, Quasi)]
    guarantee = policy.guarantee
    if guarantee is None:
        yield "none: no column is a quasi-identifier"
        return
    members = "rows" if policy.unit is None else f"units (distinct values of {policy.unit})"
    yield f"every class, the rows that agree on {', '.join(quasi) or 'nothing'}, has at least {guarantee.k} {members}"
    if guarantee.suppression:
        percent = number(guarantee.suppression * 100)
        left = "left out" if guarantee.action == "drop" else "left empty"
        yield f"at most {percent} % of the input rows are {left} to get there"
    else:
        yield "no row may be left out to get there"
    if guarantee.linkable is None and policy.unit is not None:
        yield "where rows of one unit can be joined in the release, k counts units of equal profile"
    elif guarantee.linkable is not None and policy.unit is not None:
        yield f"rows of one unit may be joined in the release, because: {line(guarantee.linkable)}"
    yield "before the release gets its name, the written file is read again and every promise recomputed"


def _search(policy: Policy) -> Iterator[str]:
    if policy.guarantee is None:
        return
    search = policy.search
    yield f"strategy {search.strategy}, objective {search.objective}"
    if isinstance(search.budget, tuple):
        kind, count = search.budget
        yield f"budget: {count} {kind}" + ("; the evidence is marked as not reproducible" if kind == "seconds" else "")
    else:
        yield f"budget: {search.budget}"
    yield f"seed {policy.seed}, never used for keys, shuffles or noise"


def _attacks(policy: Policy) -> Iterator[str]:
    attacks = policy.attacks
    if not attacks:
        return
    if attacks.hold_out:
        people = "rows" if policy.unit is None else f"units (distinct values of {policy.unit})"
        yield f"{number(attacks.hold_out * 100)} % of the {people} are held out before: a control, never released"
    if attacks.control is not None:
        yield f"the people in {attacks.control.name} are the control: like the input's, and never released"
    if attacks.linkage is not None:
        known = ", ".join(attacks.linkage.match)
        yield (
            f"linking by {known} with {attacks.linkage.auxiliary.name} must find at most "
            f"{number(attacks.linkage.max_risk * 100)} % of the released, with 95 % confidence"
        )
    if attacks.max_advantage is not None:
        limit = f"{attacks.max_advantage:f}"
        yield f"inferring a sensitive value may gain at most {limit} over people who were not released"
    yield "a release that fails a gate is refused (status 3), one that cannot be judged too (status 5)"


def _thresholds(policy: Policy) -> Iterator[str]:
    for key, limit in policy.thresholds.items():
        shape = AttackLimitShape if key.startswith("attacks.") else ThresholdsShape
        yield f"{line(key)} {limit:g}: {shape.model_fields[key.rpartition('.')[2]].description}"
    if policy.thresholds:
        yield "a release beyond one is refused (status 3), one for which it was not measured too (status 5)"


def _text(policy: Policy) -> Iterator[str]:
    if not any(isinstance(role, Text) for role in policy.columns.values()):
        return
    text = policy.text
    yield f"language {text.language}; rules: {', '.join(text.packs)}"
    yield "names by model: " + (", ".join(map(str, text.ner)) if text.ner is not None else "none, by choice")
    scanners = f"looked for by rules and {' and '.join(text.secrets)}" if text.secrets else "not looked for"
    yield f"passwords, keys and tokens: {scanners}"
    yield f"a finding is replaced by {_REPLACED[text.replace]}"
    if text.also_from is None:
        yield "the row's own identifiers and coarsened quasi-identifiers are looked for in its text"
    elif text.also_from:
        yield f"the row's own values of {', '.join(text.also_from)} are looked for in its text"
    else:
        yield "nothing of the row's other columns is looked for in its text"


_FORMULAS = {
    "quote": "written with an apostrophe before it, which every verb takes away again",
    "refuse": "not written: the run is refused",
}


def _output(policy: Policy) -> Iterator[str]:
    yield "rows are shuffled" if policy.order == "shuffle" else "rows keep their order"
    if policy.formulas in _FORMULAS:
        yield f"in CSV, text that a spreadsheet would take for a formula is {_FORMULAS[policy.formulas]}"
    if policy.batch == "union":
        yield "a later batch, with --plan and --earlier, is judged together with the files released before it"


def _limits(policy: Policy) -> Iterator[str]:
    roles = list(policy.columns.items())
    if any(isinstance(role, Quasi) for _, role in roles):
        yield "safety together with other releases of the same people: k, l and t do not add up over releases"
        yield "safety from a reader who knows how little was generalised (minimality and downcoding attacks)"
        yield "safety from what the columns tell of each other (inference by correlation)"
        yield "anything about what others may know beyond the quasi-identifiers listed"
    untouched = [name for name, role in roles if isinstance(role, Keep | Sensitive)]
    if untouched:
        yield f"protection of {', '.join(untouched)}: released untouched"
    if any(isinstance(role, Identifier) and joins_rows(role.action) for _, role in roles):
        yield "anonymity of pseudonyms: who holds the key can recompute them"
    if any(isinstance(role, Text) for _, role in roles):
        recall = "" if policy.text.recall else "; its recall on your texts is not measured by this policy"
        yield f"certainty that every name in free text is found{recall}"
