"""Adversarial neighbours of the reported cases: odd types, names, files and roles."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from cases.desk import AS_IS, SENSITIVE, Run, nothing_released, promise

import anonym

Call = Callable[..., Run]

NULLABLE = {"role": "quasi", "hierarchy": "suppress"}
TEXT = {"role": "text"}
IDENTIFIER = {"role": "identifier"}


def _apply(run: Call, policy: dict[str, Any], table: pl.DataFrame, *words: str) -> Run:
    table.write_parquet("in.parquet")
    return run("apply", policy, "in.parquet", *words)


@pytest.mark.parametrize("role", [AS_IS, SENSITIVE, {"role": "keep"}, IDENTIFIER, {"role": "drop"}, TEXT])
def test_an_enums_categories_are_values_that_no_report_names(run: Call, role: dict[str, Any]) -> None:
    kind = pl.Enum(["a", "b", "canary"])
    table = pl.DataFrame({"q": ["x"] * 4, "e": pl.Series(["a", "a", "b", "b"], dtype=kind)})
    done = _apply(run, promise({"q": AS_IS, "e": role}, 2, text={"ner": "none"}), table, "--verbose")
    assert done.status == 0
    assert "canary" not in done.said()
    assert b"canary" not in (done.folder / "out.parquet").read_bytes()


@pytest.mark.parametrize("distinct", [2, 5, 6, 10, 13])
def test_one_class_is_no_distance_from_itself(run: Call, distinct: int) -> None:
    close = {"role": "sensitive", "t": {"max": 0.0, "distance": "ordered"}}
    table = pl.DataFrame({"q": ["x"] * distinct, "s": range(distinct)})
    done = _apply(run, promise({"q": AS_IS, "s": close}, 2), table, "--quiet")
    assert done.status == 0, done.err
    assert done.evidence["guarantee"]["t"]["s"]["achieved"] == pytest.approx(0, abs=1e-9)
    assert run("check", promise({"q": AS_IS, "s": close}, 2), "out.parquet", "--quiet").status == 0


@pytest.mark.parametrize("values", [["x", "x", None], [1, 1, None], [1.5, 1.5, None], [True, True, None]])
def test_a_lone_null_of_any_type_is_a_class_of_one(values: list[Any]) -> None:
    """T01 for columns that are not text: null is a value, not a star."""
    table = pl.DataFrame({"q": values, "s": ["a", "b", "c"]})
    policy = {"anonym": 1} | promise({"q": NULLABLE, "s": SENSITIVE}, 2)
    verdict = anonym.check(policy, table)
    assert not verdict.holds
    assert verdict.evidence["guarantee"]["k"]["achieved"] == 1


@pytest.mark.parametrize(
    "role",
    [
        {"role": "identifier", "action": "redact"},
        {"role": "quasi", "hierarchy": {"interval": [10]}, "finest": 1},
    ],
    ids=["redacted", "generalised"],
)
def test_a_unit_that_is_not_released_as_it_is_joins_no_rows(run: Call, role: dict[str, Any]) -> None:
    table = pl.DataFrame({"u": [1, 2, 2], "q": ["x"] * 3, "s": ["a", "b", "a"]})
    policy = promise({"u": role, "q": NULLABLE, "s": SENSITIVE}, 2, unit="u")
    done = _apply(run, policy, table, "--quiet")
    assert done.status == 0, done.err
    assert done.evidence["guarantee"]["k"]["units"] == 2
    assert run("check", policy, "out.parquet", "--quiet").status == 0


def test_a_unit_released_as_sensitive_joins_rows(run: Call) -> None:
    table = pl.DataFrame({"u": [1, 2, 2, 11, 12], "q": list("xxyyy")})
    refused = _apply(run, promise({"u": SENSITIVE, "q": AS_IS}, 2, unit="u"), table, "--quiet")
    assert refused.status == 3, refused.err


@pytest.mark.parametrize("promised", [{"l": {"recursive": {"c": 2, "l": 2}}}, {"t": {"max": 0.2}}])
def test_a_release_whose_units_are_gone_is_not_judged_over_rows(run: Call, promised: dict[str, Any]) -> None:
    """One person's three rows weigh one: what holds over units may not hold over rows, and check has only rows."""
    table = pl.DataFrame({"u": [1, 1, 1, 2, 3, 3, 3, 4], "q": list("aaaabbbb"), "s": list("xxxyyyyx")})
    columns = {"u": IDENTIFIER, "q": AS_IS, "s": SENSITIVE | promised}
    done = _apply(run, promise(columns, 2, unit="u"), table, "--quiet")
    assert done.status == 0, done.err
    checked = run("check", promise(columns, 2, unit="u"), "out.parquet")
    assert checked.status == 0, checked.err
    assert "does not hold" not in checked.out


@pytest.mark.parametrize("name", ["contact", "kunde", "requester"])
@pytest.mark.parametrize("text", ["Odalys called", "please ask brenthwick", "see Brenthwick, Odalys"])
def test_a_rows_own_name_is_scrubbed_whatever_its_column_is_called(run: Call, name: str, text: str) -> None:
    table = pl.DataFrame({name: ["Odalys Brenthwick"], "t": [text]})
    policy = {"columns": {name: IDENTIFIER, "t": TEXT}, "text": {"ner": "none"}}
    done = _apply(run, policy, table, "--quiet")
    assert done.status == 0
    assert not {"odalys", "brenthwick"} & set(done.released["t"][0].lower().replace(",", " ").split())


@pytest.mark.parametrize("text", ["oda\u200blys@brenthwick.example", "odalys@brenth\u200bwick.example"])
def test_an_invisible_character_hides_no_address(run: Call, text: str) -> None:
    policy = {"columns": {"t": TEXT}, "text": {"ner": "none"}}
    done = _apply(run, policy, pl.DataFrame({"t": [text]}), "--quiet")
    assert done.status == 0
    assert "oda" not in done.released["t"][0]


@pytest.mark.parametrize("values", [[["a"], ["b"]], [b"a", b"\xff"]], ids=["lists", "bytes"])
def test_a_dropped_identifier_of_any_type_stops_no_scrubbing(run: Call, values: list[Any]) -> None:
    table = pl.DataFrame({"i": values, "t": ["mail a@b.example", "x"]})
    policy = {"columns": {"i": IDENTIFIER, "t": TEXT}, "text": {"ner": "none"}}
    assert _apply(run, policy, table, "--quiet").status == 0


def test_a_csv_row_with_a_field_too_many_is_refused(run: Call) -> None:
    """Read on, it would move a name into the column beside it."""
    Path("in.csv").write_text("id,name,q,k\n" + "1,Zed,x,a\n" * 3 + "1,Smith, Canary,x,a\n" * 2, encoding="utf-8")
    columns = {"id": IDENTIFIER, "name": IDENTIFIER, "q": NULLABLE, "k": {"role": "keep"}}
    refused = run("apply", promise(columns, 2), "in.csv")
    assert refused.status == 4
    assert "Canary" not in refused.said()
    nothing_released(refused, beside=("in.csv",))


def test_json_lines_whose_later_lines_have_more_columns_are_refused(run: Call) -> None:
    lines = '{"q":"x","s":"a"}\n' * 10_001 + '{"q":"x","s":"a","mail":"canary@x.example"}\n'
    Path("in.jsonl").write_text(lines, encoding="utf-8")
    refused = run("apply", promise({"q": AS_IS, "s": SENSITIVE}, 2), "in.jsonl")
    assert refused.status == 4
    assert "canary" not in refused.said()


@pytest.mark.parametrize("name", ["^secret$", "*", "^.*$"])
def test_a_column_named_like_a_pattern_is_that_column_only(run: Call, name: str) -> None:
    table = pl.DataFrame({"secret": ["canary"] * 4, name: ["a", "a", "b", "b"], "q": ["x"] * 4})
    entry = "[*]" if name == "*" else name
    done = _apply(run, promise({"secret": IDENTIFIER, entry: {"role": "keep"}, "q": AS_IS}, 2), table)
    assert done.status in (0, 4), done.err
    assert "canary" not in done.said()
    if done.status:
        assert "column 2" in done.err
        assert "duplicate" not in done.err
        assert "missing" not in done.err
    else:
        assert sorted(done.released[name]) == ["a", "a", "b", "b"]


KINDS = [pl.Int8, pl.UInt16, pl.Decimal(9, 2), pl.Time]


@pytest.mark.parametrize(
    ("ending", "kind"), [(".tsv", pl.Int64), *(("." + e, k) for e in ("csv", "jsonl") for k in KINDS)]
)
def test_every_type_survives_every_format(run: Call, ending: str, kind: Any) -> None:
    table = pl.DataFrame({"q": ["x"] * 2, "k": pl.Series([1, 1]).cast(kind)})
    policy = promise({"q": AS_IS, "k": {"role": "keep"}}, 2)
    place = anonym.apply({"anonym": 1} | policy, table).write(f"out{ending}")
    assert run("check", policy, place, "--quiet").status == 0


@pytest.mark.parametrize("ending", [".csv", ".jsonl", ".arrow", ".parquet"])
def test_brackets_in_a_files_name_are_no_pattern(run: Call, ending: str) -> None:
    table = pl.DataFrame({"q": ["x"] * 2, "s": ["a", "b"]})
    policy = promise({"q": AS_IS, "s": SENSITIVE}, 2)
    place = anonym.apply({"anonym": 1} | policy, table).write(f"out[1]{ending}")
    assert run("check", policy, place, "--quiet").status == 0
    assert run("apply", policy, place, "--quiet").status == 0


def test_json_lines_without_a_line_say_that_they_have_no_columns(run: Call) -> None:
    table = pl.DataFrame({"q": [], "s": []}, schema={"q": pl.String, "s": pl.String})
    policy = promise({"q": AS_IS, "s": SENSITIVE}, 2)
    place = anonym.apply({"anonym": 1} | policy, table).write("out.jsonl")
    checked = run("check", policy, place, "--quiet")
    assert checked.status == 4
    assert "out.jsonl has no line with a key" in checked.err


@pytest.mark.parametrize("kind", [pl.Time, pl.Duration("ms")])
def test_sensitive_times_are_counted_or_refused_by_name(run: Call, kind: Any) -> None:
    table = pl.DataFrame({"q": ["x"] * 4, "s": pl.Series([0, 1, 2, 3]).cast(kind)})
    done = _apply(run, promise({"q": AS_IS, "s": {"role": "sensitive", "l": {"distinct": 2}}}, 2), table)
    assert done.status == 0 or (done.status == 4 and "column s" in done.err), done.err


@pytest.mark.parametrize("limit", [0, 0.1, 0.5])
def test_a_check_says_one_thing_only(run: Call, limit: float) -> None:
    """T29 under other limits: exit status, `holds`, verdict and words agree."""
    table = pl.DataFrame({"q": ["a", "a", "b", "b", "*"], "s": list("abcde")})
    table.write_parquet("released.parquet")
    checked = run("check", promise({"q": AS_IS, "s": SENSITIVE}, 2, limit), "released.parquet", "--json")
    evidence = checked.printed
    assert evidence["guarantee"]["k"]["achieved"] == 2
    assert evidence["suppression"]["rows"] == 1
    assert evidence["verdict"]["holds"] is evidence["holds"] is (checked.status == 0)


def test_a_check_of_our_own_release_knows_no_count_of_the_dropped_rows(run: Call) -> None:
    table = pl.DataFrame({"q": ["a", "a", "a", "b"], "s": list("abcd")})
    policy = promise({"q": AS_IS, "s": SENSITIVE}, 2, 0.25)
    assert _apply(run, policy, table, "--quiet").status == 0
    checked = run("check", policy, "out.parquet")
    assert checked.status == 0
    assert "0 suppressed" not in checked.out


def test_a_refusal_says_how_many_rows_there_were_and_what_was_reached(run: Call) -> None:
    table = pl.DataFrame({"q": [1, 1, 2, 2], "s": list("abcd")})
    refused = _apply(run, promise({"q": {"role": "quasi"}, "s": SENSITIVE}, 3), table)
    assert refused.status == 3
    assert refused.rejected["input"]["rows"] == 4
    assert refused.rejected["guarantee"]["k"]["achieved"] == 2


@pytest.mark.parametrize("separator", ["§", '"'])
def test_a_separator_that_no_csv_can_have_is_a_fault_of_the_policy(run: Call, separator: str) -> None:
    Path("in.csv").write_text(f"q{separator}s\nx{separator}a\nx{separator}b\n", encoding="utf-8")
    refused = run("apply", promise({"q": AS_IS, "s": SENSITIVE}, 2, input={"separator": separator}), "in.csv")
    assert refused.status == 2
    assert "input.separator" in refused.err
