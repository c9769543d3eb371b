"""The scoreboard on long tables of events (person, item, value, date), where almost everybody is unique.

The attacker knows a few events of someone, roughly and some of them wrongly, and scores everybody in the release: rare
items weigh more, near values and dates count more. The best is taken for the person if it stands out from the second
by enough standard deviations. Narayanan and Shmatikov (2008), algorithm Scoreboard-RH, but that the nearness of value
and date is multiplied, not added: a coincidence then needs both. How much is enough is calibrated on people who were
never released, so that at most FALSE_ACCEPTS of them are taken for somebody.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonym.attacks.outcome import AttackResult, Counts, Gate, Trial, judge
from anonym.attacks.subgroup import worst_of

ECCENTRICITY = 1.5  # the paper's threshold, where there is no control to calibrate on
FALSE_ACCEPTS = 0.005  # of the control, where the threshold is chosen: half of what is to be kept
VALUE_SCALE, DAY_SCALE = 1.5, 30.0  # of the paper: a rating's and a date's


@dataclass(frozen=True)
class Events:
    """The columns of a long table. Value and date may be missing: then only who has which item tells."""

    person: str
    item: str
    value: str | None = None
    date: str | None = None


@dataclass(frozen=True)
class Knowledge:
    """What the attacker knows of a person: so many events, `wrong` of them of an item chosen at random, values off by
    up to `value_off`, dates by up to `days_off` days."""

    events: int = 8
    wrong: int = 2
    value_off: float = 1.0
    days_off: int = 14


@dataclass(frozen=True)
class _Long:
    """Events as arrays, by item and in it by person."""

    start: NDArray[np.int64]
    people: NDArray[np.int64]
    values: NDArray[np.float64]
    days: NDArray[np.float64]
    persons: pl.Series  # who has which number
    items: pl.DataFrame  # [item, number]


@dataclass(frozen=True)
class _Known:
    """Of each target: who it is, how many events there are of it, and the known ones."""

    person: pl.Series
    held: NDArray[np.int64]
    start: NDArray[np.int64]
    items: pl.Series
    values: NDArray[np.float64]
    days: NDArray[np.float64]


def scoreboard(
    released: pl.DataFrame,
    original: pl.DataFrame,
    events: Events,
    *,
    gate: Gate | None,
    seed: int,
    targets: int,
    control: pl.DataFrame | None = None,
    truth: str | None = None,
    knowledge: Knowledge | None = None,
) -> AttackResult:
    """Find at most `targets` people of `original` among the persons in `released`.

    Who is right is told by column `truth` in both tables, default the person's own column. Who has fewer events than
    the attacker is to know is no target. False accepts: members taken for somebody else.
    """
    knowledge = knowledge or Knowledge()
    truth = truth or events.person
    long = _long(released, events)
    known = _known(original, events, knowledge, targets, seed, truth)
    who, eccentricity = _scored(long, known)
    fresh = _known(control, events, knowledge, targets, seed + 1, events.person) if control is not None else None
    apart = _scored(long, fresh)[1] if fresh is not None else np.zeros(0)
    enough = _enough(apart[: len(apart) // 2])
    judged = apart[len(apart) // 2 :]
    outside = Counts(len(judged), len(judged), int((judged >= enough).sum())) if len(judged) else None
    accepted = eccentricity >= enough
    is_right = accepted & _is_right(long, who, known, released, events.person, truth)
    counts = Counts(len(who), len(who), int(is_right.sum()), int((accepted & ~is_right).sum()))
    detail = {
        "accepted": int(accepted.sum()),
        "eccentricity": enough,
        "false_accept_rate": outside.rate if outside else None,
        "knowledge": asdict(knowledge),
        "persons": len(long.persons),
        "worst_subgroup": _worst(known.held, is_right),
    }
    knows = tuple(f"{knowledge.events} of {name}" for name in (events.item, events.value, events.date) if name)
    positive = _positive(original, events, known, truth, enough)
    baseline = 1 / len(long.persons) if len(long.persons) else None
    return judge(Trial("scoreboard of events", knows, counts, gate, baseline, outside, positive, seed, detail))


def _positive(original: pl.DataFrame, events: Events, known: _Known, truth: str, enough: float) -> float | None:
    raw = _long(original, events)
    who, eccentricity = _scored(raw, known)
    found = (eccentricity >= enough) & _is_right(raw, who, known, original, events.person, truth)
    return float(found.mean()) if len(who) else None


def _enough(apart: NDArray[np.float64]) -> float:
    """The least eccentricity that at most FALSE_ACCEPTS of the control reach."""
    if not len(apart):
        return ECCENTRICITY
    ranked = np.sort(apart)[::-1]
    return float(np.nextafter(ranked[min(int(FALSE_ACCEPTS * len(ranked)), len(ranked) - 1)], np.inf))


# tables as arrays ----------------------------------------------------------------------------------------------------


def _columns(frame: pl.DataFrame, events: Events) -> pl.DataFrame:
    """[person, item, value, date] as they are, as numbers and as days; null is NaN."""
    value = pl.col(events.value).cast(pl.Float64, strict=False) if events.value else pl.lit(None, pl.Float64)
    day = _days(frame, events.date) if events.date else pl.lit(None, pl.Float64)
    given = frame.select(person=pl.col(events.person), item=pl.col(events.item).cast(pl.String), value=value, date=day)
    return given.with_columns(pl.col("value", "date").fill_null(float("nan"))).drop_nulls(["person", "item"])


def _days(frame: pl.DataFrame, name: str) -> pl.Expr:
    column = pl.col(name)
    if frame.schema[name] == pl.String:
        column = column.str.to_date(strict=False)
    if isinstance(frame.schema[name], pl.Datetime):
        column = column.dt.replace_time_zone(None)
    return column.cast(pl.Datetime("us")).to_physical().cast(pl.Float64) / 86_400_000_000


def _long(frame: pl.DataFrame, events: Events) -> _Long:
    given = _columns(frame, events)
    persons = given["person"].unique(maintain_order=True)
    items = given.select(pl.col("item").unique(maintain_order=True)).with_row_index("number")
    numbered = given.join(persons.to_frame("person").with_row_index("who"), on="person").join(items, on="item")
    ordered = numbered.sort("number", "who")
    counts = np.bincount(ordered["number"].to_numpy(), minlength=items.height)
    return _Long(
        np.concatenate(([0], np.cumsum(counts))).astype(np.int64),
        ordered["who"].to_numpy().astype(np.int64),
        ordered["value"].to_numpy(),
        ordered["date"].to_numpy(),
        persons,
        items,
    )


def _known(frame: pl.DataFrame, events: Events, knowledge: Knowledge, targets: int, seed: int, truth: str) -> _Known:
    """Draw the people and, of each, what the attacker knows."""
    generator = np.random.default_rng([seed, 0x5C0E])
    given = _columns(frame, events).with_columns(held=pl.len().over("person"))
    able = given.filter(pl.col("held") >= knowledge.events)
    people = able["person"].unique().sort()
    drawn = people.gather(np.sort(generator.permutation(len(people))[:targets]))
    theirs = able.join(drawn.to_frame("person").with_row_index("target"), on="person").sort(
        "target", "item", "value", "date"
    )
    theirs = theirs.with_columns(draw=generator.random(theirs.height)).sort("target", "draw")
    rows = theirs.with_columns(place=pl.int_range(pl.len()).over("target")).filter(pl.col("place") < knowledge.events)
    noisy = _noisy(rows, given, knowledge, generator)
    names = frame.group_by(events.person).agg(truth=pl.col(truth).first()) if truth != events.person else None
    person = drawn
    if names is not None:
        joined = drawn.to_frame("person").join(names, left_on="person", right_on=events.person, maintain_order="left")
        person = joined["truth"]
    return _Known(
        person,
        rows.group_by("target", maintain_order=True).agg(pl.col("held").first())["held"].to_numpy().astype(np.int64),
        np.arange(len(drawn) + 1, dtype=np.int64) * knowledge.events,
        noisy["item"],
        noisy["value"].to_numpy(),
        noisy["date"].to_numpy(),
    )


def _noisy(
    rows: pl.DataFrame, given: pl.DataFrame, knowledge: Knowledge, generator: np.random.Generator
) -> pl.DataFrame:
    """The first `wrong` events of each target replaced by events of anybody; the others moved a little."""
    n = rows.height
    other = given[generator.integers(0, max(given.height, 1), n)] if given.height else given
    catalogue = given["item"].unique().sort()
    items = catalogue.gather(generator.integers(0, max(len(catalogue), 1), n)) if n else rows["item"]
    is_wrong = rows["place"] < knowledge.wrong
    value = rows["value"] + np.round(generator.uniform(-knowledge.value_off, knowledge.value_off, n))
    day = rows["date"] + generator.integers(-knowledge.days_off, knowledge.days_off + 1, n)
    return pl.DataFrame(
        {
            "item": items.zip_with(is_wrong, rows["item"]),
            "value": other["value"].zip_with(is_wrong, value),
            "date": other["date"].zip_with(is_wrong, day),
        }
    )


# scores --------------------------------------------------------------------------------------------------------------


def _scored(long: _Long, known: _Known) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    from anonym.attacks.scoreboard_kernel import scores

    numbers = known.items.to_frame("item").join(long.items, on="item", how="left", maintain_order="left")["number"]
    support = np.diff(long.start)
    weight = 1.0 / np.log(np.maximum(support, 2) + 1)  # + 1: an item of one person is no division by 0
    found = scores(
        long.start,
        long.people,
        long.values,
        long.days,
        weight,
        len(long.persons),
        known.start,
        numbers.cast(pl.Int64).fill_null(-1).to_numpy(),
        known.values,
        known.days,
        VALUE_SCALE,
        DAY_SCALE,
    )
    return found[0], found[1]


def _is_right(
    long: _Long, who: NDArray[np.int64], known: _Known, released: pl.DataFrame, person: str, truth: str
) -> NDArray[np.bool_]:
    names = long.persons
    if truth != person:
        told = released.group_by(person).agg(truth=pl.col(truth).first())
        names = names.to_frame(person).join(told, on=person, how="left", maintain_order="left")["truth"]
    guessed = (
        names.gather(pl.Series(np.maximum(who, 0)))
        if len(names)
        else known.person.clear().extend_constant(None, len(who))
    )
    return (guessed == known.person).fill_null(False).to_numpy() & (who >= 0)


def _worst(held: NDArray[np.int64], is_right: Sequence[Any] | NDArray[np.bool_]) -> dict[str, Any] | None:
    """The quarter of the people, by how many events they have, who are found most."""
    if not len(held):
        return None
    quarter = np.searchsorted(np.quantile(held, [0.25, 0.5, 0.75]), held, "left")
    scored = pl.DataFrame({"success": np.asarray(is_right, np.float64)}).with_row_index("person")
    groups = pl.DataFrame({"group": quarter}).with_row_index("person")
    return worst_of(scored, {"number of events": groups})
