"""What a policy will do, in plain words, without looking at the data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal

from anonym.columns.actions import Action, joins_rows
from anonym.columns.identifiers import DropColumn, Pseudonym, Redact
from anonym.columns.shift import Shift
from anonym.columns.surrogate import Surrogate
from anonym.criteria import DistinctL, EntropyL, LDiversity, RecursiveL, TCloseness
from anonym.hierarchy.clock import Of, Seconds
from anonym.hierarchy.model import (
    Auto,
    Breaks,
    Dates,
    Declaration,
    FileHierarchy,
    Groups,
    Identity,
    Interval,
    Networks,
    Prefix,
    Rounded,
    Suppress,
)
from anonym.hierarchy.packs import pack
from anonym.policy.lint import notes
from anonym.policy.model import Drop, Identifier, Keep, Policy, Quasi, Role, Sensitive, Text
from anonym.policy.resolve import ResolvedColumn
from anonym.policy.schema import AttackLimitShape, ThresholdsShape

_MANY_CUTS = 8
_FORMS = {
    "label": "as text labels",
    "bounds": "as two columns, the lowest and the highest value of the class",
    "set": "as the set of values in the class",
    "representative": "as one value for the whole class",
}
_UNCOVERED = {
    "refuse": "the run stops (status 4)",
    "suppress": "its row is suppressed",
    "top": "it is released as `*`",
}
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
    yield f"Policy {_line(policy.name)}, sha256 {policy.sha256}"
    if policy.reviewed is None:
        yield "Draft policy, not reviewed."
    else:
        yield f"Reviewed by {_line(policy.reviewed.by)} on {policy.reviewed.date.isoformat()}."
    if policy.input.flatten:
        yield f"Every field of {', '.join(map(_line, policy.input.flatten))} is a column of its own."
    for key, words in policy.threat_model.items():
        yield f"Threat model, {key}: {_line(words)}"
    if policy.training is not None:
        trained = policy.training
        whom = policy.unit or "record"
        yield f"Private training: at most ε {trained.limit:g} per {whom} at δ {trained.delta:g}, fixed before training"


def _line(words: str) -> str:
    """Free words of the policy as one line, without characters that steer a terminal."""
    return " ".join("".join(c if c.isprintable() else " " for c in words).split())


def _columns(policy: Policy, resolved: Sequence[ResolvedColumn] | None) -> Iterator[str]:
    if resolved is None:
        for entry, role in policy.columns.items():
            yield from _column(entry, role)
        yield "any other column: " + ("the run stops (status 4)" if policy.unlisted == "refuse" else "not released")
        return
    for column in resolved:
        origin = "" if column.pattern == column.name else f" (by {column.pattern or '`unlisted`'})"
        yield from _column(f"{column.name}{origin}", column.role)


def _column(name: str, role: Role) -> Iterator[str]:
    match role:
        case Quasi():
            yield f"{name}: quasi-identifier, generalised and released {_FORMS[role.form]}"
            yield from (f"  {line}" for line in _quasi(role))
        case Sensitive():
            yield f"{name}: sensitive, released as it is"
            if role.bins is not None:
                yield f"  l and t count numbers of one bin as one value: {levels(role.bins)[1]}"
            yield from (f"  in every class: {promise}" for promise in _promises(role))
        case Identifier(action=action):
            yield f"{name}: identifier, {_action(name, action)}"
        case Text():
            yield f"{name}: free text, scrubbed (see Text)"
        case Keep(allow_unique=reason):
            rare = "refused (status 3)" if reason is None else f"allowed, because: {_line(reason)}"
            yield f"{name}: released as it is; values that fewer than k units hold are {rare}"
        case Drop():
            yield f"{name}: not released"


def _action(name: str, action: Action) -> str:
    match action:
        case DropColumn():
            return "not released"
        case Redact():
            return "every value becomes the same mark"
        case Pseudonym():
            scope = "in this release only" if action.scope == "release" else "in every release under this key"
            return (
                f"replaced by a keyed token (HMAC-SHA256, key from {action.key.source}, "
                f"domain {action.domain or name}); the same value gets the same token {scope}"
            )
        case Surrogate():
            again = "in this release" if action.scope == "release" else "in every release under this key"
            return (
                f"replaced by an invented {action.kind.replace('_', ' ')} (key from {action.key.source}, "
                f"domain {action.domain or name}); the same value gets the same one {again}"
            )
        case Shift():
            source = f"key from {action.key.source}" if action.key else "a key of this release alone"
            return f"dates moved by one secret offset per unit, 1 to {action.days} days ({source})"


def _quasi(quasi: Quasi) -> Iterator[str]:
    listed = levels(quasi.hierarchy)
    if isinstance(quasi.hierarchy, Auto):
        yield "levels: drawn up from the data, then `*`"
        yield "  round intervals with open ends for numbers, calendar periods for dates, networks for IP addresses,"
        yield "  beginnings for codes, the most frequent values for categories"
    elif isinstance(quasi.hierarchy, FileHierarchy) and quasi.hierarchy.taxonomy is None:
        yield f"levels: 0: the value as it is, then the columns of {quasi.hierarchy.path.name}, the last one as `*`"
    else:
        yield "levels: " + ", ".join(f"{level}: {words}" for level, words in enumerate(listed))
    if isinstance(quasi.hierarchy, FileHierarchy) and quasi.hierarchy.taxonomy is not None:
        found = pack(quasi.hierarchy.taxonomy)
        yield f"taxonomy {found.name}: {found.title}"
        yield f"  reads {found.values}"
    if quasi.finest or quasi.coarsest is not None:
        upper = "on" if quasi.coarsest is None else f"to {quasi.coarsest}"
        yield f"a release uses levels from {quasi.finest} {upper} only"
    if quasi.top is not None:
        yield f"values from {quasi.top} on become one, `>={quasi.top}`, before anything else"
    if quasi.bottom is not None:
        yield f"values up to {quasi.bottom} become one, `<={quasi.bottom}`, before anything else"
    if isinstance(quasi.hierarchy, FileHierarchy | Networks):
        lacks = "that is no IP address" if isinstance(quasi.hierarchy, Networks) else _lacking(quasi.hierarchy)
        yield f"a value {lacks}: {_UNCOVERED[quasi.uncovered]}"
    if quasi.normalise:
        yield f"spellings count as one value after {', '.join(quasi.normalise)}"
    if quasi.weight != 1:
        yield f"the search spares it with weight {quasi.weight:g}; the loss that is printed ignores weights"


def _lacking(declared: FileHierarchy) -> str:
    return "that the file lacks" if declared.taxonomy is None else f"that the taxonomy {declared.taxonomy} lacks"


def levels(hierarchy: Declaration) -> list[str]:
    """What each level of a hierarchy does, from level 0 on. For a file and for `auto` only level 0 is known."""
    steps: list[str]
    match hierarchy:
        case Interval(widths=widths, of=of):
            steps = [f"widths of {_written(width, of)}" for width in widths]
        case Breaks(levels=cuts, of=of):
            steps = [_cuts([_written(cut, of) for cut in level]) for level in cuts]
        case Prefix(lengths=lengths):
            steps = [f"the first {length} character{'s' if length > 1 else ''}" for length in lengths]
        case Dates(units=units):
            steps = [f"the {unit}" for unit in units]
        case Rounded(decimals=decimals):
            steps = [f"rounded to {_decimals(places)}" for places in decimals]
        case Networks(lengths=lengths):
            steps = [f"the network of {length} bits" for length in lengths]
        case Groups(kept=kept):
            steps = [f"the {len(names)} most frequent values, the others as one" for names in kept]
        case FileHierarchy(taxonomy=str(name)):
            steps = list(pack(name).levels)
        case Suppress():
            steps = []
        case Identity() | FileHierarchy() | Auto():
            return ["the value as it is"]
    return ["the value as it is", *steps, "`*`"]


def _cuts(cuts: Sequence[str]) -> str:
    if len(cuts) > _MANY_CUTS:
        return f"intervals between {len(cuts)} cuts from {cuts[0]} to {cuts[-1]}"
    return f"intervals cut at {', '.join(cuts)}"


def _written(value: Decimal, of: Of) -> str:
    return _number(value) if of == "number" else str(Seconds(value, of))


def _number(value: Decimal) -> str:
    """As a person writes it, but for exponents that would fill the line."""
    value = value.normalize()
    return f"{value:f}" if -10 < value.adjusted() < 20 else str(value)


def _decimals(places: int) -> str:
    if places > 0:
        return f"{places} decimal{'s' if places > 1 else ''}"
    return "whole numbers" if places == 0 else f"multiples of 1{'0' * -places}"


def _promises(role: Sensitive) -> Iterator[str]:
    if role.l is not None:
        yield _diversity(role.l)
    if role.t is not None:
        yield _closeness(role.t)


def _diversity(promise: LDiversity) -> str:
    match promise:
        case DistinctL(l=l):
            return f"at least {l} distinct values (l-diversity)"
        case EntropyL(l=l):
            return f"values as varied as {l:g} equally frequent ones (entropy l-diversity)"
        case RecursiveL(c=c, l=l):
            return f"the most frequent value is rarer than {c:g} times those from rank {l} on (recursive l-diversity)"


def _closeness(promise: TCloseness) -> str:
    ground = {
        "equal": "all values equally far apart",
        "ordered": "values as far apart as their ranks",
        "hierarchical": "values as far apart as in their hierarchy",
    }
    return f"values distributed within {promise.max:g} of all released rows, {ground[promise.distance]} (t-closeness)"


def _guarantee(policy: Policy) -> Iterator[str]:
    quasi = [name for name, role in policy.columns.items() if isinstance(role, Quasi)]
    guarantee = policy.guarantee
    if guarantee is None:
        yield "none: no column is a quasi-identifier"
        return
    members = "rows" if policy.unit is None else f"units (distinct values of {policy.unit})"
    yield f"every class, the rows that agree on {', '.join(quasi) or 'nothing'}, has at least {guarantee.k} {members}"
    if guarantee.suppression:
        percent = _number(guarantee.suppression * 100)
        left = "left out" if guarantee.action == "drop" else "left empty"
        yield f"at most {percent} % of the input rows are {left} to get there"
    else:
        yield "no row may be left out to get there"
    if guarantee.linkable is None and policy.unit is not None:
        yield "where rows of one unit can be joined in the release, k counts units of equal profile"
    elif guarantee.linkable is not None and policy.unit is not None:
        yield f"rows of one unit may be joined in the release, because: {_line(guarantee.linkable)}"
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
        yield f"{_number(attacks.hold_out * 100)} % of the {people} are held out before: a control, never released"
    if attacks.control is not None:
        yield f"the people in {attacks.control.name} are the control: like the input's, and never released"
    if attacks.linkage is not None:
        known = ", ".join(attacks.linkage.match)
        yield (
            f"linking by {known} with {attacks.linkage.auxiliary.name} must find at most "
            f"{_number(attacks.linkage.max_risk * 100)} % of the released, with 95 % confidence"
        )
    if attacks.max_advantage is not None:
        limit = f"{attacks.max_advantage:f}"
        yield f"inferring a sensitive value may gain at most {limit} over people who were not released"
    yield "a release that fails a gate is refused (status 3), one that cannot be judged too (status 5)"


def _thresholds(policy: Policy) -> Iterator[str]:
    for key, limit in policy.thresholds.items():
        shape = AttackLimitShape if key.startswith("attacks.") else ThresholdsShape
        yield f"{_line(key)} {limit:g}: {shape.model_fields[key.rpartition('.')[2]].description}"
    if policy.thresholds:
        yield "a release beyond one is refused (status 3), one for which it was not measured too (status 5)"


def _text(policy: Policy) -> Iterator[str]:
    if not any(isinstance(role, Text) for role in policy.columns.values()):
        return
    text = policy.text
    yield f"language {text.language}; rules: {', '.join(text.packs)}"
    yield "names by model: " + (", ".join(map(str, text.ner)) if text.ner is not None else "none, by choice")
    yield f"passwords, keys and tokens: {'looked for' if text.secrets else 'not looked for'}"
    yield f"a finding is replaced by {_REPLACED[text.replace]}"
    if text.also_from is None:
        yield "the row's own identifiers and coarsened quasi-identifiers are looked for in its text"
    elif text.also_from:
        yield f"the row's own values of {', '.join(text.also_from)} are looked for in its text"
    else:
        yield "nothing of the row's other columns is looked for in its text"


def _output(policy: Policy) -> Iterator[str]:
    yield "rows are shuffled" if policy.order == "shuffle" else "rows keep their order"
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
