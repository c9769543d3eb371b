"""Two pieces of evidence side by side: what changed, and what is weaker in the second."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from anonym.report import figures, limits, thresholds, wording
from anonym.report.attacked import attacks_of

ORDER = (
    "guarantee",
    "thresholds",
    "columns",
    "policy",
    "input",
    "output",
    "suppression",
    "loss",
    "attacks",
    "recall",
    "training",
    "text",
)


@dataclass(frozen=True)
class Change:
    """A number or word that differs; None where one of the two has none."""

    path: str
    before: Any
    after: Any


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every number, word and null with its path, no two alike; a list's items by their names where these differ."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from leaves(item, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list | tuple):
        names = [_name_of(item) or place for place, item in enumerate(value)]
        times = Counter(names)
        for place, (name, item) in enumerate(zip(names, value, strict=True)):
            yield from leaves(item, f"{path}.{name}" if times[name] == 1 else f"{path}.{name}.{place}")
    else:
        yield path, value


def _name_of(item: Any) -> str | None:
    name = item.get("name") if isinstance(item, Mapping) else None
    return name if isinstance(name, str) else None


def changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Change]:
    """What differs, the promise first; what a run took and when is left out."""
    old, new = (dict(leaves({k: v for k, v in one.items() if k != "environment"})) for one in (before, after))
    paths = [path for path in {**old, **new} if old.get(path) != new.get(path)]
    return sorted((Change(path, old.get(path), new.get(path)) for path in paths), key=_place)


def _place(change: Change) -> tuple[int, str]:
    part = change.path.split(".")[0]
    return (ORDER.index(part) if part in ORDER else len(ORDER), change.path)


def weaker(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """In words, each way in which the second release protects less than the first."""
    return [
        *_promises(before["guarantee"], after["guarantee"]),
        *_thresholds(before.get("thresholds") or {}, after.get("thresholds") or {}),
        *_columns(before["columns"], after["columns"]),
        *_attacks(attacks_of(before), attacks_of(after)),
        *_recall(before["recall"], after["recall"]),
        *_training(before["training"], after["training"]),
    ]


def _promises(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    yield from _less("k", before["k"] or {}, after["k"] or {})
    for column, old in before["l"].items():
        yield from _less(f"l of {column}", old, after["l"].get(column, {}))
    for column, old in before["t"].items():
        yield from _less(f"t of {column}", old, after["t"].get(column, {}), is_distance=True)


def _thresholds(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    """Limits that are gone or looser."""
    for key, old in before.items():
        new, sign = after.get(key), -1 if thresholds.measure(key).least else 1
        if new is None:
            yield f"threshold {key}: {old['limit']}, now none"
        elif sign * new["limit"] > sign * old["limit"]:
            yield f"threshold {key}: {old['limit']}, now {new['limit']}"


def _less(name: str, old: Mapping[str, Any], new: Mapping[str, Any], *, is_distance: bool = False) -> Iterator[str]:
    for kind in ("required", "achieved"):
        one, other = old.get(kind), new.get(kind)
        if one is None:
            continue
        if other is None or isinstance(one, Mapping) != isinstance(other, Mapping):
            yield f"{name}: {kind} {_said(one)}, now {'nothing' if other is None else _said(other)}"
        elif _worth(other, is_distance) < _worth(one, is_distance):
            yield f"{name}: {kind} {_said(one)}, now {_said(other)}"


def _worth(figure: Any, is_distance: bool) -> tuple[float, float]:
    """More is stronger. Recursive l: by its l, then by its c, of which the larger allows more; null is no bound."""
    if isinstance(figure, Mapping):
        return figure["l"], -math.inf if figure["c"] is None else -figure["c"]
    return (-figure if is_distance else figure), 0.0


def _said(figure: Any) -> str:
    """To as many digits as evidence has, since a fall may be small."""
    if isinstance(figure, Mapping):
        return f"(c {_said(figure['c'])}, l {figure['l']})"
    return "unbounded" if figure is None else f"{figure:.9g}"


def _columns(before: list[Mapping[str, Any]], after: list[Mapping[str, Any]]) -> Iterator[str]:
    old = {column["name"]: column["role"] for column in before}
    for column in after:
        name, role = column["name"], column["role"]
        if role in ("keep", "sensitive") and old.get(name) != role:
            yield f"column {name} is {role}, before: {old.get(name, 'not there')}"
        elif old.get(name) == "quasi" and role not in ("quasi", "drop"):
            yield f"column {name} is no quasi-identifier any more but {role}"


def _attacks(before: list[Mapping[str, Any]], after: list[Mapping[str, Any]]) -> Iterator[str]:
    held = {attack["name"] for attack in before if attack["verdict"] == "pass"}
    for attack in after:
        if attack["name"] in held and attack["verdict"] != "pass":
            yield f"attack {attack['name']}: pass, now {attack['verdict']}"
    yield from (f"attack {name}: pass, now not run" for name in sorted(held - {attack["name"] for attack in after}))


def _recall(before: Any, after: Any) -> Iterator[str]:
    """By the lower bound, which is what a gate goes by."""
    if before and not after:
        yield "recall: measured, now not"
    elif before and (low := before["overall"]["low"]) is not None:
        now = after["overall"]["low"]
        if now is None or now < low:
            yield f"recall: at least {low}, now {'not measured' if now is None else f'at least {now}'}"


def _training(before: Any, after: Any) -> Iterator[str]:
    if before and after and before["unit"] != after["unit"]:
        yield f"training: the unit was {before['unit']}, now {after['unit']}"
    elif after and after["epsilon"] > (before["epsilon"] if before else 0.0):
        yield f"training: epsilon {before['epsilon'] if before else 'none'}, now {after['epsilon']}"


# in words ------------------------------------------------------------------------------------------------------------


def headlines(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """What a reader asks first of two releases: label, what the first says, what the second says."""
    old, new = _figures(before), _figures(after)
    return [(label, old.get(label, "nothing"), said) for label, said in new.items()]


def _figures(evidence: Mapping[str, Any]) -> dict[str, str]:
    k, recall, training = evidence["guarantee"]["k"], evidence["recall"], evidence["training"]
    none = wording.missing(evidence)
    unread = none if wording.has_text(evidence) else figures.NOT_APPLICABLE
    required = (
        "nothing" if k is None else f"{figures.count(k['achieved'], none)}, {figures.count(k['required'])} required"
    )
    untouched = (column["name"] for column in evidence["columns"] if limits.untouched(column, evidence))
    return {
        "k": required,
        "quasi-identifiers": figures.listed(limits.named(evidence, "quasi")) or "none",
        "released untouched": figures.listed(untouched) or "none",
        "rows": wording.rows_of_input(evidence),
        "classes": figures.count(evidence["classes"]["count"], none),
        "rows suppressed": figures.share(evidence["suppression"]["rate"], none),
        "loss (NCP)": figures.decimal(evidence["loss"]["ncp"], none),
        "text recall": figures.share(recall["overall"]["rate"] if recall else None, unread),
        "ε of training": figures.at_most(training["epsilon"]) if training else "none recorded",
        "policy": evidence["policy"]["sha256"][:12],
    }


def joint(before: Mapping[str, Any], after: Mapping[str, Any], joined: Mapping[str, Any] | None = None) -> list[str]:
    """What is known of the two releases joined: their classes and people where they were `joined`, or an attack that
    joined them, or that nothing did."""
    if not (before["output"]["rows"] and after["output"]["rows"]):
        return []
    told = joined or {}
    people = [told["people"]] if "people" in told else []
    people += [one for one in attacks_of(after) if one["name"] == "intersection" and one["rate"] is not None]
    said = [*map(_classes, [told["classes"]] if told.get("classes") else []), *map(_people, people[:1])]
    if not people:
        why = told.get("why") or "anonym report with --since measures it where both released files are at hand"
        said.append(f"Joint classes of the people in both: not measured ({why}).")
    return said


def _classes(counts: Mapping[str, int]) -> str:
    both, before, now = (figures.count(counts[key]) for key in ("both", "before", "now"))
    return f"Classes by the quasi-identifiers released alike: {both} in both, {before} only before, {now} only now."


def _people(one: Mapping[str, Any]) -> str:
    """The result of an intersection attack. By the original, a class may also cover people whose rows are not in it."""
    detail = one["detail"] if isinstance(one["detail"], Mapping) else {}
    rate, baseline = figures.share(one["rate"]), figures.share(one["baseline"])
    said = f"Joint classes: {rate} of {figures.count(one['targets'])} people whom classes of both cover are in one of "
    said += f"fewer than {figures.count(detail.get('k'), 'k')}, in a release alone {baseline}"
    if "joint_classes" not in detail:
        return f"{said}."
    classes = figures.plural(detail["joint_classes"], "class")
    return f"{said}; {classes}, the smallest of {figures.count(detail['smallest'])}."
