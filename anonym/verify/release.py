"""The written release against its input: everything that can be checked, checked again from the file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl

from anonym.errors import AnonymError, type_name
from anonym.io import as_lazy, written
from anonym.io.partitions import parquet_files
from anonym.verify.aligned import Alignment, Check, Comparison
from anonym.verify.bins import binned
from anonym.verify.codes import FEW, Coded, Integers, classes_of, coded, places, tally
from anonym.verify.covers import misplaced_rows, uncovered_rows
from anonym.verify.facts import Facts, IdentifierFact, QuasiFact, SensitiveFact
from anonym.verify.histogram import distribution
from anonym.verify.leaks import (
    SLICE,
    looks_identifying,
    rows_of_rare_own,
    rows_with_own,
    text_columns,
    whole_cells,
)
from anonym.verify.measure import NOTHING, RARE, Measured, holds, measure
from anonym.verify.printed import printed
from anonym.verify.reading import Columns, canonical, collected, read_column, schema_of
from anonym.verify.rows import MARK, masked_rows

_MARK = r"^[\[<*]"  # how a mark may begin that the input itself may hold, redacted before by somebody else
GUARANTEE = "guarantee"  # the name of the check of k, l and t
RARE_KEEP = "rare keep values"  # the name of the check that suppression itself may break
FORMULA = r"^[=+\-@＝＋－＠\t\r\n\x00]"  # what a spreadsheet runs (OWASP, CSV injection)
METADATA = {"ARROW:schema"}  # what a Parquet footer may hold besides its own schema


def verify_release(
    release: Path | pl.LazyFrame | pl.DataFrame,
    original: pl.LazyFrame,
    alignment: pl.DataFrame,
    facts: Facts,
    schema: Mapping[str, pl.DataType],
) -> tuple[Measured, list[Check]]:
    """Measure the release and check it against its input.

    `alignment` has a line for each row of the release, in file order: first column the input row number from 0, second
    (with a unit) the unit, null units being one. `schema` is what the release must have, in this order. Checks that
    make no sense after a failed one are left out, so a release is good only if every check held. Raises InputError
    where the input cannot be read, InternalError for facts that cannot be verified.
    """
    frame, checks = _opened(release, facts, schema)
    if frame is None or not all(check.held for check in checks):
        return NOTHING, checks
    if isinstance(release, Path) and _is_text_only(release):
        original, frame = _empty_as_null(original), _empty_as_null(frame)
    aligned, rows_checks = _aligned(frame, original, alignment, facts)
    checks += [*_file_checks(release, frame, facts, schema), *rows_checks]
    if aligned is None:
        return NOTHING, checks
    checks += _cell_checks(aligned, facts)
    checks += aligned.judge(_comparisons(facts, aligned))
    checks += _leak_checks(aligned, facts, schema)
    units = None if aligned.unit is None else alignment.to_series(1)
    measured = measure(frame, facts, units, _references(aligned, facts), read=aligned.released)
    return measured, [*checks, *guarantee_checks(measured, facts)]


def _opened(
    release: Path | pl.LazyFrame | pl.DataFrame, facts: Facts, schema: Mapping[str, pl.DataType]
) -> tuple[pl.LazyFrame | None, list[Check]]:
    """The release as a frame, and whether it opens and has exactly the columns and types expected."""
    try:
        frame = written(release, schema, quoted=facts.quoted) if isinstance(release, Path) else as_lazy(release)
        found = schema_of(frame)
        rows = collected(frame.select(pl.len()), "counting the release's rows").item()
    except (AnonymError, pl.exceptions.PolarsError, OSError) as error:
        return None, [Check("file", False, f"the release does not open ({type(error).__name__})")]
    return frame, [Check("file", True, f"opens, {rows} rows"), _schema_check(found, facts, schema)]


def _schema_check(found: Mapping[str, pl.DataType], facts: Facts, schema: Mapping[str, pl.DataType]) -> Check:
    promised, shared = set(facts.released()), [name for name in schema if name in found]
    wrong = [
        *(f"{name} is missing" for name in schema if name not in found),
        *(f"{name} is not expected" for name in found if name not in schema),
        *(f"{name} has no role" for name in found if name not in promised and name != MARK),
        *(f"{name} is not released" for name in sorted(promised) if name not in found),
        *(
            f"{name} is {type_name(found[name])}, expected {type_name(schema[name])}"
            for name in shared
            if found[name] != schema[name]
        ),
    ]
    if not wrong and list(found) != list(schema):
        wrong = ["the order of the columns differs"]
    return Check("schema", not wrong, "; ".join(dict.fromkeys(wrong)) or f"{len(found)} columns as expected")


def _empty_as_null(original: pl.LazyFrame) -> pl.LazyFrame:
    """CSV has one spelling for the empty text and for null."""
    return original.with_columns(pl.col(pl.String).replace("", None))


def _file_checks(
    release: Path | pl.LazyFrame | pl.DataFrame, frame: pl.LazyFrame, facts: Facts, schema: Mapping[str, pl.DataType]
) -> Iterator[Check]:
    """What a file tells beside its values: footer metadata, unused categories, the sign of zero, NaN beside null."""
    if isinstance(release, Path) and release.suffix.lower() in (".parquet", ".pq"):
        custom = {key for file in parquet_files(release) for key in pl.read_parquet_metadata(file)} - METADATA
        yield Check("metadata", not custom, f"{len(custom)} footer entries beside the schema")
    if isinstance(release, Path) and facts.quoted and _is_text_only(release):
        yield _no_formulas(release, schema)
    for name, dtype in schema.items():
        if isinstance(dtype, pl.Enum):
            used = collected(frame.select(pl.col(name).unique().drop_nulls().len()), f"reading column {name}").item()
            unused = len(dtype.categories) - used
            yield Check(f"categories of {name}", not unused, f"{unused} categories that no row has")
    floats = [name for name, dtype in schema.items() if dtype.is_float()]
    if floats:
        negative = pl.sum_horizontal(((pl.col(n) == 0) & (1 / pl.col(n) < 0)).sum() for n in floats)
        nan = pl.sum_horizontal(pl.col(n).is_nan().sum() for n in floats)
        found = frame.select(negative.alias("negative zeros"), nan.alias("NaN"))
        for name, cells in collected(found, "looking for negative zeros and NaN").row(0, named=True).items():
            yield Check(name, not cells, f"{cells} cells")


def _is_text_only(release: Path) -> bool:
    """Whether the file keeps no types."""
    return release.suffix.lower() in (".csv", ".tsv")


def _no_formulas(release: Path, schema: Mapping[str, pl.DataType]) -> Check:
    """No text of the file, as it stands there, begins like a formula."""
    texts = [name for name, dtype in schema.items() if dtype == pl.String]
    begins = pl.sum_horizontal(pl.col(name).str.contains(FORMULA).sum() for name in texts)
    found = collected(written(release, schema).select(begins), "looking for formulas").item() if texts else 0
    return Check("formulas", not found, f"{found} cells begin like a formula")


def _aligned(
    frame: pl.LazyFrame, original: pl.LazyFrame, alignment: pl.DataFrame, facts: Facts
) -> tuple[Alignment | None, list[Check]]:
    """Released and input rows matched one to one; None where they do not match."""
    inside = int(collected(original.select(pl.len()), "counting the input's rows").item())
    masked = masked_rows(schema_of(frame), facts)
    flags = collected(frame.with_columns(masked.alias(MARK)).select(MARK), "reading which rows were masked")[MARK]
    lines = Check("rows aligned", alignment.height == len(flags), f"{alignment.height} lines for {len(flags)} rows")
    if not lines.held:
        return None, [lines]
    counted = None if not flags.any() else ~flags
    kept = alignment if counted is None else alignment.filter(counted)
    row = kept.to_series(0)
    wrong = row.null_count() + int((row >= inside).sum()) + int((row < 0).sum())
    present = row if not wrong else row.filter(row.is_between(0, inside - 1).fill_null(False))
    twice = len(present) - _distinct(present, inside)
    one_to_one = Check("rows distinct", not wrong and not twice, f"{wrong} of no input row, {twice} more than once")
    checks = [lines, one_to_one, _suppression(inside, kept.height, facts)]
    if not one_to_one.held:
        return None, checks
    unit = kept.to_series(1) if facts.unit is not None and kept.width > 1 else None
    released, read = Columns(frame, len(flags)), Columns(original, inside)
    return Alignment(released, read, row if row.dtype == pl.UInt32 else row.cast(pl.Int64), counted, unit), checks


def _distinct(row: pl.Series, inside: int) -> int:
    """How many of the `inside` rows there are."""
    is_there = np.zeros(inside, np.bool_)
    is_there[row.to_numpy()] = True
    return int(is_there.sum())


def _suppression(inside: int, released: int, facts: Facts) -> Check:
    """Every input row is released or suppressed; no more are suppressed than allowed."""
    limit = facts.suppression_limit_rows
    gone = inside - released
    held = gone >= 0 and (gone <= limit if limit is not None else gone == 0)
    allowed = 0 if limit is None else limit
    return Check("suppression", held, f"{inside} rows in, {released} out, {gone} suppressed, {allowed} allowed")


def _cell_checks(aligned: Alignment, facts: Facts) -> Iterator[Check]:
    """Cells that cover their originals, and values that are unchanged, judged over the distinct pairs of both."""
    covering = [q for q in facts.quasi if q.form != "representative"]
    aligned.released.read([*(name for q in facts.quasi for name in q.released), *facts.untouched()])
    for fact, original in zip(covering, aligned.original_codes([q.name for q in covering]), strict=True):
        yield _covers(fact, original, [aligned.released_codes(name) for name in fact.released])
        aligned.input.forget(fact.name)
    few = [name for name in facts.untouched() if aligned.released.coded(name).size <= FEW]
    for name, original in zip(few, aligned.original_codes(few), strict=True):
        yield _unchanged(name, original, aligned.released_codes(name))
        if all(name != fact.name for fact in facts.sensitive):  # those are needed once more
            aligned.input.forget(name)


def _comparisons(facts: Facts, aligned: Alignment) -> list[Comparison]:
    owner = _owner(facts, aligned)
    quasi = [
        Comparison((q.name,), q.released, partial(_stands, q, owner)) for q in facts.quasi if q.form == "representative"
    ]
    many = [name for name in facts.untouched() if aligned.released.coded(name).size > FEW]
    plain = [Comparison((name,), (name,), partial(_unchanged_one_by_one, name)) for name in many]
    identifiers = [_of_identifier(fact, facts.unit) for fact in facts.identifiers if fact.released]
    units = [] if facts.unit is None else [Comparison((facts.unit,), (), partial(_units, facts.unit, aligned.unit))]
    return [*quasi, *plain, *identifiers, *units]


def _of_identifier(fact: IdentifierFact, unit: str | None) -> Comparison:
    if fact.kind == "shifted" and unit is not None:
        return Comparison((fact.name, unit), (fact.name,), partial(_shifted, fact, unit))
    return Comparison((fact.name,), (fact.name,), partial(_identifier, fact))


def _covers(fact: QuasiFact, original: Coded, released: Sequence[Coded]) -> Check:
    (before, *after), rows = tally(original.codes, *(cell.codes for cell in released))
    cells = [cell.values.gather(at).alias(name) for name, cell, at in zip(fact.released, released, after, strict=True)]
    wrong = uncovered_rows(original.values.gather(before), pl.DataFrame(cells), fact, rows)
    return Check(f"cells of {fact.name} cover their originals", not wrong, f"{wrong} rows do not")


def _owner(facts: Facts, aligned: Alignment) -> Integers | None:
    """(rows,) the class of each released row, where a representative stands for a class."""
    if not any(q.by_class for q in facts.quasi):
        return None
    names = [name for q in facts.quasi for name in q.released]
    return classes_of(map(aligned.released_codes, names), len(aligned.row))


def _stands(fact: QuasiFact, owner: Integers | None, original: pl.DataFrame, released: pl.DataFrame) -> Check:
    """A representative among the originals of its class, or with one level a column of all rows that have it."""
    value = released.to_series()
    group = owner if fact.by_class and owner is not None else coded(value).codes
    wrong = misplaced_rows(original.to_series(), value, group, fact)
    return Check(f"cells of {fact.name} stand for their originals", not wrong, f"{wrong} rows do not")


def _unchanged(name: str, original: Coded, released: Coded) -> Check:
    """Equal values, where NaN and null are one and both zeros are."""
    if original.values.dtype != released.values.dtype:
        return _retyped(name, original.values.dtype, released.values.dtype)
    wrong = int((places(original.values, released.values)[original.codes] != released.codes).sum())
    return Check(f"values of {name} unchanged", not wrong, f"{wrong} rows differ")


def _unchanged_one_by_one(name: str, original: pl.DataFrame, released: pl.DataFrame) -> Check:
    """The same, for a column of too many values to number them."""
    before = original.select(canonical(name, original.schema[name]).alias("before"))["before"]
    after = released.select(canonical(name, released.schema[name]).alias("after"))["after"]
    if before.dtype != after.dtype:
        return _retyped(name, before.dtype, after.dtype)
    wrong = int(before.ne_missing(after).sum())
    return Check(f"values of {name} unchanged", not wrong, f"{wrong} rows differ")


def _retyped(name: str, before: pl.DataType, after: pl.DataType) -> Check:
    return Check(f"values of {name} unchanged", False, f"{type_name(before)} became {type_name(after)}")


def _identifier(fact: IdentifierFact, original: pl.DataFrame, released: pl.DataFrame) -> Check:
    before, after = original.to_series(), released.to_series()
    if fact.kind == "redacted":
        marks = after.drop_nulls().unique()
        left = int((printed(before) == after).sum()) if not marks.str.contains(_MARK).all() else 0
        detail = f"{len(marks)} different marks, {left} rows as before"
        return Check(f"identifier {fact.name} redacted", len(marks) <= 1 and not left, detail)
    if fact.kind not in ("pseudonym", "surrogate"):
        return Check(f"identifier {fact.name} dropped", False, "the column is released")
    return _replaced(fact, original.select(canonical(fact.name, before.dtype).alias("value")), after)


def _replaced(fact: IdentifierFact, values: pl.DataFrame, after: pl.Series) -> Check:
    """One stand-in for a value, none of them a value of the column. Two values may share a surrogate, not a token."""
    pairs = values.with_columns(after.alias("stand-in")).unique()
    split, merged = (pairs.height - pairs[name].n_unique() for name in ("value", "stand-in"))
    originals = printed(pairs["value"].drop_nulls()).unique()
    given = pairs["stand-in"].drop_nulls().unique()
    same = int(given.filter(given.str.strip_chars() != "").is_in(originals.implode()).sum())
    is_token = fact.kind == "pseudonym"
    words, done = ("tokens", "pseudonymised") if is_token else ("surrogates", "replaced")
    detail = f"{split} values with several {words}, {merged} shared by several values, {same} that are originals"
    return Check(f"identifier {fact.name} {done}", not (split or same or (is_token and merged)), detail)


def _shifted(fact: IdentifierFact, unit: str, original: pl.DataFrame, released: pl.DataFrame) -> Check:
    """Every date later by whole days, by as many on all rows of a unit."""
    before, after = _days(original[fact.name]), _days(released.to_series())
    unlike = int((before.is_null() != after.is_null()).sum())
    who = original.select(canonical(unit, original.schema[unit]).alias("unit"))
    moved = who.with_columns((after - before).dt.total_days().alias("days")).drop_nulls("days")
    still = int((moved["days"] < 1).sum())
    uneven = int((moved.group_by("unit").agg(pl.col("days").n_unique())["days"] > 1).sum())
    detail = f"{unlike} nulls differ, {still} rows not later, {uneven} units with several offsets"
    return Check(f"identifier {fact.name} shifted", not (unlike or still or uneven), detail)


def _days(values: pl.Series) -> pl.Series:
    """Local calendar days of dates, timestamps or ISO text."""
    if values.dtype == pl.String:
        return values.str.slice(0, 10).str.to_date("%Y-%m-%d", strict=False)
    return values if values.dtype == pl.Date else values.dt.date()


def _units(name: str, codes: pl.Series | None, original: pl.DataFrame, _released: pl.DataFrame) -> Check:
    """Unit codes and units correspond one to one."""
    if codes is None:
        return Check("unit codes", False, "the alignment has none")
    value = canonical(name, original.schema[name]).alias("value")
    pairs = original.select(value).with_columns(codes.alias("code")).unique()
    wrong = 2 * pairs.height - pairs["value"].n_unique() - pairs["code"].n_unique()
    return Check("unit codes", not wrong, f"{wrong} do not correspond one to one")


def _leak_checks(aligned: Alignment, facts: Facts, schema: Mapping[str, pl.DataType]) -> Iterator[Check]:
    """No identifier as a whole cell, and none in its own row's text."""
    gone = [*facts.dropped, *(fact.name for fact in facts.identifiers if not fact.released)]
    left = [name for name in gone if name in schema]
    yield Check("dropped columns", not left, f"{len(left)} of {len(gone)} are there")
    redacted = {fact.name for fact in facts.identifiers if fact.kind == "redacted"}
    searched = [name for name in text_columns(schema) if name not in redacted]
    if searched and facts.identifiers:
        found = whole_cells(aligned, searched, facts)
        yield from (_whole_cells(aligned, facts, name, found.filter(pl.col("cells") == name)) for name in searched)
    for name in facts.text:
        yield _own_text(aligned, facts, name)


def _whole_cells(aligned: Alignment, facts: Facts, name: str, found: pl.DataFrame) -> Check:
    """Tokens and text hold no identifier value of any row. Elsewhere a cell may share its spelling with somebody's
    identifier by chance; where fewer than k hold it, it must not be the row's own.
    """
    if name in facts.text:
        found = found.filter(looks_identifying(pl.col("value")))
    if found.height and name not in facts.text and all(name != fact.name for fact in facts.identifiers):
        rows = rows_of_rare_own(aligned, name, found, max(facts.k or 0, 2))
        return Check(f"identifiers in {name}", not rows, f"{rows} rows hold their own identifier, shared by few")
    columns = ", ".join(sorted(set(found["column"])))
    detail = f"{found['value'].n_unique()} identifier values in {found['rows'].sum()} rows"
    return Check(f"identifiers in {name}", not found.height, f"{detail} (of {columns})" if columns else detail)


def _own_text(aligned: Alignment, facts: Facts, name: str) -> Check:
    known = [fact.name for fact in facts.identifiers if facts.text_from is None or fact.name in facts.text_from]
    originals = aligned.originals(known)
    own = originals.select(printed(originals[column]) for column in known)
    rows = 0
    for start, text in aligned.slices(name, SLICE) if known else ():
        rows += rows_with_own(text, own[start : start + len(text)])
    return Check(f"own identifiers in {name}", not rows, f"{rows} rows with one of {len(known)} columns")


def _references(aligned: Alignment, facts: Facts) -> dict[str, pl.DataFrame]:
    """The input's distribution of each sensitive column, over units where there are."""
    if not facts.sensitive:
        return {}
    unit = None if facts.unit is None else aligned.input.coded(facts.unit).codes
    return {fact.name: distribution(_original(aligned, fact), unit) for fact in facts.sensitive}


def _original(aligned: Alignment, fact: SensitiveFact) -> Coded:
    if fact.bins is None:
        return aligned.input.coded(fact.name)
    return coded(binned(read_column(aligned.original, fact.name), fact.bins))


def guarantee_checks(measured: Measured, facts: Facts) -> list[Check]:
    """Whether k, l and t hold of what was measured: one check where they do, else one a failure."""
    failures = holds(measured, facts)
    reached = "nothing" if measured.k is None else str(measured.k)
    kept = f"k over {measured.counted} is {reached}, {measured.sizes.count} classes, {measured.suppressed} rows masked"
    broken = [Check(RARE_KEEP if f.criterion == RARE else GUARANTEE, False, str(f)) for f in failures]
    return broken or [Check(GUARANTEE, True, kept)]
