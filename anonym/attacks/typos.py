"""Linkage in spite of typing errors: Fellegi and Sunter's model of agreement, fitted and run by splink on DuckDB.

Columns need not agree: texts within one or two edits, numbers within one and dates within a month count for less than
equal ones. How often strangers agree is learnt from the two tables; of the same person the attacker takes one value in
ten to be mistyped (splink's expectation maximisation gives up on tables where some kind of error never occurs). Only
columns that were released as they were can be compared so; generalised ones are linked by `linkage`, with `tolerance`
and `edits`.

The only module that names splink (the extra `linkage`).
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

import polars as pl

from anonym.attacks.cover import Known
from anonym.attacks.linkage import Tables
from anonym.attacks.matching import groups, numbered
from anonym.attacks.outcome import AttackResult, Counts, Gate, Trial, judge
from anonym.attacks.subgroup import worst_of
from anonym.errors import CallError

LIKELY = 0.5  # a pair with a higher match probability, the best of its row, is taken for the same person
AGREEMENT = (0.9, 0.06, 0.02, 0.02)  # chances of equal, near, less near and other values of the same person
PAIRS = 1_000_000  # random pairs that the chance agreements are estimated on


def as_they_were(tables: Tables) -> tuple[Known, ...]:
    """The known columns whose released cells are values: one type in both tables, and no generalised text."""
    return tuple(
        known
        for known in tables.known
        if len(known.cells) == 1
        and tables.released.schema[known.cells[0]] == tables.auxiliary.schema[known.auxiliary]
        and known.kind in ("none", "suppress")
    )


def typos(
    tables: Tables,
    *,
    gate: Gate | None,
    seed: int,
    control: pl.DataFrame | None = None,
    raw: pl.DataFrame | None = None,
) -> AttackResult:
    """Link each released row to the one of `tables.auxiliary` that most probably is the same person.

    Targets are the released people, or rows where the release has no unit; who has several rows is found if one of them
    is. With `tables.truth` a link is right if both rows have the same, and who has only others is a false accept;
    without it every link counts. Raises CallError where splink is not installed or no two columns can be compared.
    """
    known = as_they_were(tables)
    if len(known) < 2:
        raise CallError("linking in spite of typing errors needs two columns or more that were released as they were")
    linked = _linked(tables.released, tables.auxiliary, known, seed)
    is_right = _right(tables, linked)
    targets, met = _people(tables.released, tables.unit), _people(tables.released, tables.unit, linked["released"])
    right = _people(tables.released, tables.unit, linked.filter(is_right)["released"])
    outside = None
    theirs = known if control is None else tuple(one.among(control) for one in known)
    if control is not None and {one.auxiliary for one in theirs} <= set(control.columns) and control.height:
        fresh = _people(control, tables.unit)
        taken = _people(control, tables.unit, _linked(tables.released, control, theirs, seed)["auxiliary"])
        outside = Counts(fresh, fresh, 0 if tables.has_truth else taken, taken)
    wrong = met - right if tables.has_truth else outside.false_accepts if outside else None
    counts = Counts(targets, targets, right, wrong)
    detail: dict[str, Any] = {"links": linked.height, "worst_subgroup": _worst(tables, known, linked, is_right)}
    positive = _positive(tables, known, raw, seed)
    others = _people(tables.auxiliary, tables.unit)
    baseline = 1 / others if others else None
    knows = tuple(one.name for one in known)
    return judge(Trial("linkage with typing errors", knows, counts, gate, baseline, outside, positive, seed, detail))


def _positive(tables: Tables, known: Sequence[Known], raw: pl.DataFrame | None, seed: int) -> float | None:
    if raw is None or not raw.height or not {one.name for one in known} <= set(raw.columns):
        return None
    plain = tuple(one.before(one.name) for one in known)
    before = Tables(raw, tables.auxiliary, plain, tables.unit, tables.truth)
    linked = _linked(raw, tables.auxiliary, plain, seed)
    right = linked.filter(_right(before, linked))["released"]
    return _people(raw, tables.unit, right) / _people(raw, tables.unit)


def _people(frame: pl.DataFrame, unit: str | None, rows: pl.Series | None = None) -> int:
    """How many people the rows (of these numbers) are of."""
    who = numbered(frame, unit)
    return (who if rows is None else who.gather(rows)).n_unique()


def _right(tables: Tables, linked: pl.DataFrame) -> pl.Series:
    if tables.truth is None or not tables.has_truth:
        return pl.repeat(True, linked.height, eager=True, dtype=pl.Boolean)
    ours = tables.released[tables.truth].gather(linked["released"])
    return (ours == tables.auxiliary[tables.truth].gather(linked["auxiliary"])).fill_null(False)


def _worst(tables: Tables, known: Sequence[Known], linked: pl.DataFrame, is_right: pl.Series) -> dict[str, Any] | None:
    who = numbered(tables.released, tables.unit)
    hits = who.gather(linked.filter(is_right)["released"])
    everyone = pl.DataFrame({"person": who}).unique(maintain_order=True)
    scored = everyone.with_columns(success=pl.col("person").is_in(hits.implode()).cast(pl.Float64))
    return worst_of(scored, groups(tables.released, {one.name: one.cells for one in known}, tables.unit))


def _linked(released: pl.DataFrame, auxiliary: pl.DataFrame, known: Sequence[Known], seed: int) -> pl.DataFrame:
    """[released, auxiliary]: row numbers of each released row's best match, if it is a likely one."""
    schema = {"released": pl.UInt32, "auxiliary": pl.UInt32}
    if not released.height or not auxiliary.height:
        return pl.DataFrame(schema=schema)
    sides = [_side(released, [one.cells[0] for one in known]), _side(auxiliary, [one.auxiliary for one in known])]
    pairs = _predicted(sides, seed)
    best = pairs.sort("match_probability", "l", "r", descending=[True, False, False]).unique(
        "l", keep="first", maintain_order=True
    )
    return best.select(released="l", auxiliary="r").cast(schema)  # type: ignore[arg-type]


def _side(frame: pl.DataFrame, names: Sequence[str]) -> pl.DataFrame:
    """Columns c0, c1, ... as splink compares them, and the row number."""
    columns = []
    for i, name in enumerate(names):
        column = pl.col(name)
        if isinstance(frame.schema[name], pl.Categorical | pl.Enum | pl.Boolean):
            column = column.cast(pl.String)
        columns.append(column.alias(f"c{i}"))
    return frame.select(columns).with_row_index("unique_id")


def _predicted(sides: Sequence[pl.DataFrame], seed: int) -> pl.DataFrame:
    """[l, r, match_probability] of the likely pairs; l of the first table."""
    try:
        from splink import Linker, SettingsCreator, block_on
        from splink.internals.duckdb.database_api import DuckDBAPI
    except ImportError:
        raise CallError("linking in spite of typing errors needs splink: pip install 'anonym[linkage]'") from None
    names = sides[0].columns[1:]
    settings = SettingsCreator(
        link_type="link_only",
        comparisons=[_comparison(name, sides[0].schema[name]) for name in names],
        blocking_rules_to_generate_predictions=[block_on(name) for name in names],
        probability_two_random_records_match=1 / max(side.height for side in sides),
        retain_matching_columns=False,
    )
    logging.getLogger("splink").setLevel(logging.ERROR)
    api = DuckDBAPI()
    tables = [
        api.register(side.to_arrow(), dataset_display_name=side_name)
        for side, side_name in zip(sides, ("a", "b"), strict=True)
    ]
    linker = Linker(tables, settings, log_level=logging.ERROR)
    linker.training.estimate_u_using_random_sampling(max_pairs=PAIRS, seed=seed)
    found = linker.inference.predict(threshold_match_probability=LIKELY)
    frame = pl.DataFrame(found.as_duckdbpyrelation().to_arrow_table())
    return frame.select(l="unique_id_l", r="unique_id_r", match_probability="match_probability")


def _comparison(name: str, dtype: pl.DataType) -> Any:
    from splink import comparison_library as compare

    if dtype == pl.String:
        return compare.LevenshteinAtThresholds(name, [1, 2]).configure(m_probabilities=list(AGREEMENT))
    if dtype.is_temporal():
        return compare.AbsoluteDateDifferenceAtThresholds(
            name, input_is_string=False, metrics=["day", "month"], thresholds=[3, 1]
        ).configure(m_probabilities=list(AGREEMENT))
    equal, near, *other = AGREEMENT
    left, right = f'"{name}_l"', f'"{name}_r"'
    return {
        "output_column_name": name,
        "comparison_levels": [
            {"sql_condition": f"{left} IS NULL OR {right} IS NULL", "label_for_charts": "null", "is_null_level": True},
            {"sql_condition": f"{left} = {right}", "label_for_charts": "equal", "m_probability": equal},
            {"sql_condition": f"abs({left} - {right}) <= 1", "label_for_charts": "within one", "m_probability": near},
            {"sql_condition": "ELSE", "label_for_charts": "else", "m_probability": sum(other)},
        ],
    }
