"""Limits of a policy on what was measured beyond its guarantee, each judged on the evidence."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from anonym.report import figures
from anonym.report.attacked import attacks_of

Facts = Mapping[str, Any]
Figure = float | None
CLOSE = 1e-9  # in favour of holding, as for every promise


@dataclass(frozen=True)
class Measure:
    """A figure of the evidence that a policy may limit: from above, or from below (`least`).

    `beside`: by attacks or a labelled sample, and not of the released rows, so that it can be had without any.
    """

    words: str
    of: Callable[[Facts], Figure]
    least: bool = False
    shown: Callable[[float], str] = figures.share
    beside: bool = False


def _at(*path: str) -> Callable[[Facts], Figure]:
    def figure(evidence: Facts) -> Figure:
        found: Any = evidence
        for key in path:
            found = None if found is None else found.get(key)
        return found  # type: ignore[no-any-return]

    return figure


def _largest(found: Iterable[Figure]) -> Figure:
    return max((one for one in found if one is not None), default=None)


def _columns(key: str) -> Callable[[Facts], Iterator[Figure]]:
    return lambda evidence: (column.get(key) for column in evidence["columns"])


def _of_t(key: str) -> Callable[[Facts], Figure]:
    return lambda evidence: _largest(part.get(key) for part in evidence["guarantee"]["t"].values())


def _hardest_group(evidence: Facts) -> Figure:
    """The largest share of a group that may be shown; 0 where no row was suppressed."""
    part = evidence["suppression"]
    return 0.0 if part["rows"] == 0 else _largest(group["rate"] for group in part["groups"] if not group.get("rest"))


def _withheld(evidence: Facts) -> Figure:
    texts = evidence["text"].values()
    documents = sum(part["documents"] for part in texts)
    return sum(part["withheld"] for part in texts) / documents if documents else None


def _least_known(evidence: Facts) -> Figure:
    return min((one for one in _columns("k_if_known")(evidence) if one is not None), default=None)


MEASURES: Mapping[str, Measure] = {
    "loss": Measure("loss (NCP)", _at("loss", "ncp"), shown=figures.decimal),
    "column_loss": Measure("loss of the worst column", lambda e: _largest(_columns("loss")(e)), shown=figures.decimal),
    "class_size_over_k": Measure("mean class size over k", _at("loss", "average_class_size"), shown=figures.number),
    "suppressed_units": Measure("units without a row left", _at("suppression", "units_rate")),
    "suppressed_group": Measure("suppressed rows of the shown group that bears most", _hardest_group),
    "highest_risk": Measure("highest prosecutor risk", _at("risk", "prosecutor_max")),
    "mean_risk": Measure("mean prosecutor risk", _at("risk", "prosecutor_mean")),
    "marketer_risk": Measure("marketer risk", _at("risk", "marketer")),
    "t_against_input": Measure("t against the input", _of_t("against_input"), shown=figures.at_most),
    "t_moved": Measure("shift of a distribution by suppression", _of_t("moved"), shown=figures.at_most),
    "k_if_known": Measure("k with a released column known", _least_known, least=True, shown=figures.count),
    "withheld_texts": Measure("texts withheld as a whole", _withheld),
    "token_precision": Measure(
        "precision of scrubbed tokens, lower end", _at("recall", "token_precision", "low"), least=True, beside=True
    ),
    "clean_texts": Measure(
        "texts with nothing missed, lower end", _at("recall", "clean", "low"), least=True, beside=True
    ),
    "direct_recall": Measure(
        "recall of direct identifiers, lower end", _at("recall", "direct", "low"), least=True, beside=True
    ),
    "quasi_recall": Measure(
        "recall of quasi-identifiers in text, lower end", _at("recall", "quasi", "low"), least=True, beside=True
    ),
}
"""By the key under `thresholds`. Figures of a labelled sample are the lower ends of their intervals."""


def _attack(name: str, kind: str) -> Measure:
    """Of all attacks whose names begin with `name`: the upper end of the success, or the advantage over the control.
    None where one of them was not measured, or too weak to tell.
    """

    def figure(evidence: Facts) -> Figure:
        run = [one for one in attacks_of(evidence) if one["name"].startswith(name)]
        found = [one["high" if kind == "rate" else "advantage"] for one in run if one["verdict"] != "too_weak"]
        return None if len(found) < len(run) or None in found else _largest(found)

    words = f"success of {name}, upper end" if kind == "rate" else f"advantage of {name} over the control"
    return Measure(words, figure, shown=figures.share if kind == "rate" else figures.number, beside=True)


def measure(key: str) -> Measure:
    """By its key, or `attacks.NAME.rate` and `attacks.NAME.advantage`."""
    name, _, kind = key.removeprefix("attacks.").rpartition(".")
    return MEASURES[key] if key in MEASURES else _attack(name, kind)


def judge(evidence: dict[str, Any]) -> None:
    """Fill in what was found and whether it holds, null where nothing was measured."""
    for key, part in (evidence.get("thresholds") or {}).items():
        one = measure(key)
        found, limit = one.of(evidence), part["limit"]
        part["found"] = found
        part["holds"] = None if found is None else found >= limit - CLOSE if one.least else found <= limit + CLOSE


def lacking(evidence: Facts) -> list[str]:
    """Those that need a figure and have none. Of a release without rows there is nothing to measure."""
    is_empty = evidence["output"]["rows"] == 0
    limited = (evidence.get("thresholds") or {}).items()
    return [key for key, part in limited if part["holds"] is None and not (is_empty and not measure(key).beside)]


def said(key: str, part: Facts, none: str = figures.NOT_MEASURED) -> str:
    """`success of uniqueness, upper end: 3.2 %, 5 % allowed`."""
    one = measure(key)
    found = none if part["found"] is None else one.shown(part["found"])
    return f"{one.words}: {found}, {one.shown(part['limit'])} {'required' if one.least else 'allowed'}"
