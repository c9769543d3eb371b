"""T29 and its kind: files that others released, and those of ours that changed since."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from cases.desk import AS_IS, SENSITIVE, Run, promise

import anonym

Call = Callable[..., Run]
SET = {"role": "quasi", "hierarchy": "suppress", "form": "set"}


def _checked(run: Call, table: pl.DataFrame, k: int = 2, columns: dict[str, Any] | None = None, **more: Any) -> Run:
    table.write_parquet("released.parquet")
    roles = columns or {"a": AS_IS, "b": AS_IS, "s": SENSITIVE}
    return run("check", promise(roles, k, 1, **more), "released.parquet", "--json")


@pytest.mark.parametrize(
    ("a", "b", "suppressed", "k", "classes"),
    [
        ("xxyy**", "xxyy**", 2, 2, 2),
        ("xx****", "xx****", 4, 2, 1),
        ("******", "******", 0, 6, 1),  # everything: then it is a class
        ("xx**yy", "xx??yy", 0, 2, 3),  # `*` in one column only is a label like another
        ("xxyyy*", "xxyyy*", 1, 2, 2),
        ("xxyyyy", "xx****", 0, 2, 2),
    ],
)
def test_rows_of_stars_are_suppressed_unless_there_is_nothing_else(
    run: Call, a: str, b: str, suppressed: int, k: int, classes: int
) -> None:
    found = _checked(run, pl.DataFrame({"a": list(a), "b": list(b), "s": ["v"] * 6}))
    assert found.status == 0, found.err
    evidence = found.printed
    assert evidence["suppression"]["rows"] == suppressed
    assert evidence["guarantee"]["k"]["achieved"] == k
    assert evidence["classes"]["count"] == classes
    assert evidence["risk"]["prosecutor_max"] == pytest.approx(1 / k)


def test_stars_and_one_unique_row_are_one_unique_row(run: Call) -> None:
    found = _checked(run, pl.DataFrame({"a": list("***x"), "b": list("***x"), "s": ["v"] * 4}))
    assert found.status == 3
    assert found.printed["guarantee"]["k"]["achieved"] == 1
    assert found.printed["suppression"]["rows"] == 3


def test_stars_take_no_part_in_the_distribution_that_t_is_against(run: Call) -> None:
    """Without the stars both classes are half a, half b: t is 0. With them it would not be."""
    close = {"role": "sensitive", "t": {"max": 0.01}}
    table = pl.DataFrame({"a": list("xxyy***"), "s": list("ababaaa")})
    found = _checked(run, table, columns={"a": AS_IS, "s": close})
    assert found.status == 0, found.err
    assert found.printed["guarantee"]["t"]["s"]["achieved"] == 0


@pytest.mark.parametrize(
    ("cells", "status", "suppressed"),
    [
        ([["x", "y"], ["x", "y"], None, None], 0, 2),
        ([None, None, None, None], 0, 0),
        ([[None], [None], ["x"], ["x"]], 0, 0),  # [null] is the null value, null the top
        ([["x"], ["x"], None, ["y"]], 3, 1),
    ],
)
def test_null_is_the_top_of_a_set(run: Call, cells: list[Any], status: int, suppressed: int) -> None:
    table = pl.DataFrame({"a": pl.Series(cells, dtype=pl.List(pl.String)), "s": ["v"] * 4})
    found = _checked(run, table, columns={"a": SET, "s": SENSITIVE})
    assert found.status == status, found.err
    assert found.printed["suppression"]["rows"] == suppressed


@pytest.mark.parametrize(
    "rows", [[(None, None)] * 3, [(None, None), (1, 2), (1, 2)]], ids=["nothing but null", "one null pair"]
)
def test_null_bounds_are_a_class_for_they_may_be_a_value(run: Call, rows: list[Any]) -> None:
    """Both null is null below the top, and `*`: nothing tells which, so nothing counts as suppressed."""
    table = pl.DataFrame(rows, schema={"n_low": pl.Int64, "n_high": pl.Int64}, orient="row")
    bounds = {"role": "quasi", "hierarchy": {"interval": [10]}, "form": "bounds"}
    found = _checked(run, table, columns={"n": bounds})
    assert found.printed["guarantee"]["k"]["achieved"] == min(rows.count(row) for row in rows)
    assert found.printed["suppression"]["rows"] == 0


def test_a_foreign_file_without_rows_has_nothing_to_judge(run: Call) -> None:
    empty = pl.DataFrame(schema={"a": pl.String, "b": pl.String, "s": pl.String})
    found = _checked(run, empty)
    assert found.status == 0
    assert found.printed["holds"] is True or found.printed["verdict"]["holds"] is None
    assert found.printed["guarantee"]["k"]["achieved"] is None
    assert found.printed["risk"]["prosecutor_max"] is None


def test_marked_rows_of_a_foreign_file_are_suppressed_only_where_they_are_empty(run: Call) -> None:
    """A column called suppressed hides no row that still tells something."""
    marks = [False, False, True]
    full = pl.DataFrame({"a": ["x", "x", "y"], "b": ["x", "x", "y"], "s": ["v"] * 3, "suppressed": marks})
    masking = {"k": 2, "suppression": {"max": 1, "action": "mask"}}
    found = _checked(run, full, guarantee=masking)
    assert found.status == 3
    assert found.printed["guarantee"]["k"]["achieved"] == 1
    empty = full.with_columns(pl.when(~pl.col("suppressed")).then(pl.col("a", "b", "s")))
    found = _checked(run, empty, guarantee=masking)
    assert found.status == 0, found.err
    assert found.printed["guarantee"]["k"]["achieved"] == 2
    assert found.printed["suppression"]["rows"] == 1


@pytest.mark.parametrize("kind", [pl.Categorical, pl.Enum(["*", "x", "y"])])
def test_stars_of_categories_are_stars(run: Call, kind: Any) -> None:
    table = pl.DataFrame({"a": pl.Series(list("xxyy*")).cast(kind), "s": ["v"] * 5})
    found = _checked(run, table, columns={"a": AS_IS, "s": SENSITIVE})
    assert found.status == 0, found.err
    assert found.printed["suppression"]["rows"] == 1


@pytest.mark.parametrize("ending", ["csv", "jsonl", "arrow", "parquet"])
def test_a_check_says_the_same_of_every_format(run: Call, ending: str) -> None:
    table = pl.DataFrame({"a": ["01", "01", "1", "1", "*"], "b": ["10-19", "10-19", "20-29", "20-29", "*"]})
    table = table.with_columns(s=pl.Series([1, 2, 1, 1, 3]))
    path = f"released.{ending}"
    formats = {"csv": "write_csv", "jsonl": "write_ndjson", "arrow": "write_ipc", "parquet": "write_parquet"}
    getattr(table, formats[ending])(path)
    diverse = {"role": "sensitive", "l": {"distinct": 1}}
    found = run("check", promise({"a": AS_IS, "b": AS_IS, "s": diverse}, 2, 1), path, "--json")
    assert found.status == 0, found.err
    assert found.printed["guarantee"]["k"]["achieved"] == 2
    assert found.printed["classes"]["count"] == 2
    assert found.printed["guarantee"]["l"]["s"]["achieved"] == 1
    assert found.printed["suppression"]["rows"] == 1


SENSITIVE_VALUES = {
    "texts like numbers": ["01", "01", "1", "1"],
    "texts like truth": ["true", "true", "false", "x"],
    "decimals": [Decimal("1.50"), Decimal("1.50"), Decimal("2.00"), Decimal("2.00")],
    "dates": [date(2020, 1, 1), date(2020, 1, 2)] * 2,
    "moments": [datetime(2020, 1, 1, 5, tzinfo=UTC), datetime(2020, 1, 1, 6, tzinfo=UTC)] * 2,
    "nothing": [None] * 4,
}


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "arrow", "parquet"])
@pytest.mark.parametrize("values", SENSITIVE_VALUES.values(), ids=SENSITIVE_VALUES)
def test_a_release_of_ours_is_read_back_as_it_was_written(run: Call, ending: str, values: list[Any]) -> None:
    """Two spellings of a number are two texts; a format that keeps no types makes no number of the report wrong."""
    table = pl.DataFrame({"q": ["x"] * 4, "s": pl.Series(values, dtype=pl.Int32 if values[0] is None else None)})
    diverse = {"role": "sensitive", "l": {"distinct": len({*values} - {None})}} if values[0] is not None else SENSITIVE
    policy = promise({"q": AS_IS, "s": diverse}, 2)
    path = anonym.apply({"anonym": 1, "name": "case"} | policy, table).write(f"out.{ending}")
    checked = run("check", policy, path, "--json")
    assert checked.status == 0, checked.err
    table.write_parquet("in.parquet")
    for words in ([], ["--original", "in.parquet"]):
        verified = run("verify", Path("out.report.json"), "--policy", "policy.yaml", *words, "--quiet")
        assert verified.status == 0, verified.err


def _ours(run: Call) -> Run:
    table = pl.DataFrame({"i": ["id-1", "id-2", "id-3", "id-4"], "q": list("xxyy"), "s": list("abab")})
    table.write_parquet("in.parquet")
    done = run("apply", promise({"i": {"role": "identifier"}, "q": AS_IS, "s": SENSITIVE}, 2), "in.parquet", "--quiet")
    assert done.status == 0, done.err
    return done


@pytest.mark.parametrize(
    ("change", "status"),
    [
        (lambda frame: frame.with_columns(i=pl.lit("id-1")), 3),  # an identifier is back
        (lambda frame: frame.drop("q"), 4),
        (lambda frame: frame.head(3), 3),
        (lambda frame: frame.with_columns(q=pl.when(pl.int_range(pl.len()) == 0).then(pl.lit("z")).otherwise("q")), 3),
        (lambda frame: frame.with_columns(more=pl.lit(1)), 4),
        (lambda frame: frame.reverse(), 0),
    ],
    ids=["identifier", "column lost", "row lost", "cell changed", "column more", "order"],
)
def test_a_release_that_was_changed_is_found_out(
    run: Call, change: Callable[[pl.DataFrame], pl.DataFrame], status: int
) -> None:
    done = _ours(run)
    change(done.released).write_parquet("changed.parquet")
    policy = promise({"i": {"role": "identifier"}, "q": AS_IS, "s": SENSITIVE}, 2)
    assert run("check", policy, "changed.parquet", "--quiet").status == status


def test_a_changed_number_of_the_report_is_found_out(run: Call) -> None:
    done = _ours(run)
    report = Path("out.report.json")
    text = report.read_text(encoding="utf-8")
    assert run("verify", report, "--original", "in.parquet", "--quiet").status == 0
    for part, forged in [('"ncp": 0.', "1"), ('"achieved": ', "3"), ('"count": ', "3"), ('"rows": ', "9")]:
        assert part in text
        report.write_text(text.replace(part, part + forged, 1), encoding="utf-8")
        assert run("verify", report, "--original", "in.parquet", "--quiet").status == 3, part
    assert done.status == 0
