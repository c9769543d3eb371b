"""k, l and t of a release, computed again from the released rows alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from anonym.verify import closeness, diversity
from anonym.verify.codes import coded, ordered_values, tally
from anonym.verify.digest import digest
from anonym.verify.facts import Closeness, Diversity, Facts, SensitiveFact
from anonym.verify.histogram import Floats, Histogram, histogram
from anonym.verify.reading import Columns, canonical
from anonym.verify.rows import ReleasedRows, released_rows
from anonym.verify.sizes import NO_CLASSES, Profiles, Sizes, known, profiles, rare_values, sizes

RARE = "values held by fewer than k"
TOLERANCE = 1e-9  # entropy and t, in favour of holding


@dataclass(frozen=True)
class Reached:
    """What one sensitive column reaches in its worst class, and how many classes, of how many rows, fall short.

    `kind` is distinct, entropy, recursive (the least c, with `l`), equal, ordered or hierarchical. `required` is None
    where the policy asks nothing of the column: distinct l and equal t are measured all the same. `against_input` and
    `moved` (the released rows against the input) are t only, and None where the input is not at hand. `over_rows`
    stands in for `achieved`, which is then None, where units are not at hand and rows bound nothing over units.
    """

    column: str
    kind: str
    required: float | None
    achieved: float | None
    classes: int
    rows: int
    l: int | None = None  # noqa: E741  the field's own letter
    against_input: float | None = None
    moved: float | None = None
    over_rows: float | None = None


@dataclass(frozen=True)
class Rare:
    """Values of a keep column that fewer than k members hold; `least` is the fewest that hold any one value."""

    column: str
    allowed: bool
    values: int
    rows: int
    least: int | None


@dataclass(frozen=True)
class Measured:
    """The measures of a release. Members are distinct units where unit codes were given, else rows.

    `suppressed` counts rows of the file that are in no class. `linked` names released columns by which a unit's rows
    can be joined: where there are any and the policy does not accept it, `k` is that of the unit profiles. `known` is
    k for an attacker who also knows that column. All measures are None where there is no class.
    """

    rows: int
    suppressed: int
    sizes: Sizes
    units: int | None = None
    profiles: Profiles | None = None
    linked: tuple[str, ...] = ()
    counted: str = "rows"  # what `k` counts: rows, units or profiles
    diversity: tuple[Reached, ...] = ()
    closeness: tuple[Reached, ...] = ()
    known: Mapping[str, int | None] = field(default_factory=dict)
    rare: tuple[Rare, ...] = ()
    digest: str | None = None  # of the class table; None for nothing

    @property
    def k(self) -> int | None:
        """k as the policy counts it."""
        if self.counted == "profiles":
            return self.profiles.k if self.profiles else None
        return self.sizes.k_units if self.counted == "units" else self.sizes.k_rows

    @property
    def below(self) -> tuple[int, int]:
        """Classes (or profiles) with fewer than k members, and their rows."""
        return self.profiles.below if self.counted == "profiles" and self.profiles else self.sizes.below


NOTHING = Measured(rows=0, suppressed=0, sizes=NO_CLASSES)


@dataclass(frozen=True)
class Failure:
    """A promise that does not hold: how much was required, what was reached, in how many classes and rows it fails."""

    criterion: str
    column: str | None
    required: float
    achieved: float | None
    classes: int
    rows: int

    def __str__(self) -> str:
        where = f" of column {self.column}" if self.column else ""
        reached = "nothing" if self.achieved is None else f"{self.achieved:.6g}"
        return (
            f"{self.criterion}{where}: required {self.required:g}, reached {reached} "
            f"(short in {self.classes} classes, {self.rows} rows)"
        )


def measure(
    release: pl.LazyFrame,
    facts: Facts,
    unit_codes: pl.Series | pl.LazyFrame | None = None,
    reference: Mapping[str, pl.DataFrame] | None = None,
    *,
    own: bool = True,
    read: Columns | None = None,
) -> Measured:
    """Measure a release. Raises InputError where it lacks a column or cannot be read.

    `unit_codes` is one column, row-aligned, equal where the unit is (null units are one unit). `reference` gives the
    input's distribution by sensitive column: `value`, `weight`. `own` False: rows that are `*` throughout were
    suppressed by whoever made the file, unless all rows are. Without the unit codes of a unit that the policy names,
    k and distinct l over rows bound those over units from above; entropy, recursive l and t say nothing of theirs.
    `read` are the release's columns where some have been read already.
    """
    rows = released_rows(release, facts, unit_codes, own=own, read=read)
    linked = linking(rows, facts)
    by_profile = bool(linked) and not facts.linkable
    counts = {fact.name: histogram(rows, fact.name, fact.bins) for fact in facts.sensitive}
    references = {name: _canonical(table) for name, table in (reference or {}).items()}
    diverse = [_diversity(fact, counts[fact.name]) for fact in facts.sensitive]
    close = [_closeness(fact, counts[fact.name], references.get(fact.name)) for fact in facts.sensitive]
    if facts.unit is not None and rows.unit is None:
        diverse = [one if one.kind == "distinct" else _unjudged(one) for one in diverse]
        close = [_unjudged(one) for one in close]
    return Measured(
        rows=rows.file_rows,
        suppressed=rows.suppressed,
        sizes=sizes(rows, facts.k),
        units=None if rows.unit is None else int(rows.unit.max(initial=-1)) + 1,
        profiles=profiles(rows, facts.k) if rows.unit is not None else None,
        linked=linked,
        counted="profiles" if by_profile else "rows" if rows.unit is None else "units",
        diversity=tuple(diverse),
        closeness=tuple(close),
        known=_known(rows, facts, counts),
        digest=digest(release, facts, rows.columns, rows.owner if rows.kept is None else None),
        rare=tuple(Rare(c.name, c.allow_unique, *rare_values(rows, c.name, facts.k or 0)) for c in facts.keep),
    )


def holds(measured: Measured, facts: Facts) -> list[Failure]:
    """The promises that the measured release breaks; none for a release without rows."""
    diverse = [_failure(f"{reached.kind} l", reached) for reached in measured.diversity if reached.classes]
    close = [_failure(f"{reached.kind} t", reached) for reached in measured.closeness if reached.classes]
    return [*_k(measured, facts), *_rare(measured, facts), *diverse, *close]


def _k(measured: Measured, facts: Facts) -> list[Failure]:
    if facts.k is None or not measured.rows:
        return []
    if measured.k is None:  # rows, but no class: everything was suppressed, nothing can be said to hold
        return [Failure("k", None, facts.k, None, 0, measured.rows)]
    if measured.k < facts.k:
        return [Failure(f"k over {measured.counted}", None, facts.k, measured.k, *measured.below)]
    return []


def _rare(measured: Measured, facts: Facts) -> list[Failure]:
    """Keep values that fewer than k members hold. `classes` counts values here."""
    required = facts.k or 0
    return [
        Failure(RARE, rare.column, required, rare.least, rare.values, rare.rows)
        for rare in measured.rare
        if rare.values and not rare.allowed
    ]


def _failure(criterion: str, reached: Reached) -> Failure:
    assert reached.required is not None
    return Failure(criterion, reached.column, reached.required, reached.achieved, reached.classes, reached.rows)


def linking(rows: ReleasedRows, facts: Facts) -> tuple[str, ...]:
    """Released tokens that recur on rows of one unit, and the unit's own column where it is released as it is: by
    them a reader joins its rows.
    """
    if rows.unit is None:
        return ()
    tokens = [c.name for c in facts.identifiers if c.released and c.kind in ("pseudonym", "surrogate")]
    own = [name for name in facts.untouched() if name == facts.unit]
    return tuple(name for name in [*tokens, *own] if _recurs(rows, name))


def _recurs(rows: ReleasedRows, column: str) -> bool:
    """Whether a value, null aside, stands on several rows of one unit."""
    assert rows.unit is not None
    order = np.argsort(rows.unit, kind="stable")
    unit, value = rows.unit[order], rows.values(column).rechunk().gather(order)
    if (value[1:] == value[:-1]).fill_null(False).to_numpy()[unit[1:] == unit[:-1]].any():
        return True  # most tokens that recur do so on neighbouring rows: spared are the codes of all of them
    token = coded(value)
    (held, _), times = tally(token.codes, unit)
    nothing = token.size - 1 if token.values.null_count() else -1
    return bool((times[held != nothing] > 1).any())


def _known(rows: ReleasedRows, facts: Facts, counts: Mapping[str, Histogram]) -> dict[str, int | None]:
    binned = {fact.name for fact in facts.sensitive if fact.bins is not None}
    least = {
        name: known(rows, name) if name in binned else int(count.holders.min()) if count.classes else None
        for name, count in counts.items()
    }
    return {fact.name: known(rows, fact.name) for fact in facts.keep} | least


def _diversity(fact: SensitiveFact, counts: Histogram) -> Reached:
    required: Diversity = fact.l or ("distinct", 0)
    fold = diversity.fold(counts.values)
    asked = float(required[1]) if fact.l else None
    match required:
        case ("distinct", _):
            return _worst(fact.name, counts, diversity.distinct(counts, fold), "distinct", asked)
        case ("entropy", _):
            return _worst(fact.name, counts, diversity.entropy(counts, fold), "entropy", asked)
        case ("recursive", _, least):
            return _worst(fact.name, counts, diversity.recursive(counts, fold, least), "recursive", asked, least)


def _worst(
    column: str, counts: Histogram, found: Floats, kind: str, required: float | None, least: int | None = None
) -> Reached:
    """The worst class and those that fail: distinct exactly, entropy within the tolerance, recursive strictly."""
    if not len(found):
        return Reached(column, kind, required, None, 0, 0, least)
    worst = float(found.max() if kind == "recursive" else found.min())
    if required is None:
        return Reached(column, kind, None, worst, 0, 0, least)
    slack = TOLERANCE if kind == "entropy" else 0.0
    short = found >= required if kind == "recursive" else found < required - slack
    return Reached(column, kind, required, worst, int(short.sum()), int(counts.rows[short].sum()), least)


def _unjudged(reached: Reached) -> Reached:
    """A measure over rows that says nothing of units."""
    return Reached(reached.column, reached.kind, reached.required, None, 0, 0, reached.l, over_rows=reached.achieved)


def _canonical(reference: pl.DataFrame | None) -> pl.DataFrame | None:
    """A reference whose values are canonical and distinct."""
    if reference is None:
        return None
    value = canonical("value", reference.schema["value"]).alias("value")
    return reference.select(value, "weight").group_by("value").agg(pl.col("weight").sum())


def _closeness(fact: SensitiveFact, counts: Histogram, reference: pl.DataFrame | None) -> Reached:
    asked = fact.t or Closeness(1.0)
    required = asked.max if fact.t else None
    if not counts.classes:
        return Reached(fact.name, asked.distance, required, None, 0, 0)
    pooled = counts.totals / counts.totals.sum()
    released = closeness.Axis(counts.values, pooled)
    found = closeness.distances(counts, released, asked, fact.name)
    far = found > asked.max + TOLERANCE if fact.t else np.zeros(counts.classes, dtype=bool)
    against = moved = None
    if reference is not None:
        whole = _axis(reference, counts.values)
        against = float(closeness.distances(counts, whole, asked, fact.name).max())
        moved = closeness.between(counts.values, pooled, whole, asked, fact.name)
    return Reached(
        fact.name,
        asked.distance,
        required,
        float(found.max()),
        int(far.sum()),
        int(counts.rows[far].sum()),
        against_input=against,
        moved=moved,
    )


def _axis(reference: pl.DataFrame, released: pl.Series) -> closeness.Axis:
    """The input's distribution over the values of the input and of the release."""
    values = ordered_values(reference["value"].cast(released.dtype).append(released))
    weights = pl.DataFrame([values.alias("value")]).join(
        reference.cast({"value": released.dtype}), on="value", how="left", nulls_equal=True, maintain_order="left"
    )
    weight = weights["weight"].fill_null(0.0).cast(pl.Float64).to_numpy()
    return closeness.Axis(values, weight / weight.sum())
