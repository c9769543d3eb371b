"""Opening tables: formats, refusals, and no value of the data in any message."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from anonym.errors import InputError, PolicyError
from anonym.io import open_frame, open_paths, written
from anonym.io.source import ReadOptions, file_sha256

FRAME = pl.DataFrame({"id": [1, 2, 3], "name": ["canary-ä", None, "canary-b"], "x": [0.5, None, 2.0]})


def _write(frame: pl.DataFrame, path: Path) -> Path:
    {
        ".parquet": frame.write_parquet,
        ".csv": frame.write_csv,
        ".jsonl": frame.write_ndjson,
        ".arrow": frame.write_ipc,
    }[path.suffix](path)
    return path


@pytest.mark.parametrize("ending", [".parquet", ".csv", ".jsonl", ".arrow"])
def test_every_format_is_read_as_it_was_written(tmp_path: Path, ending: str) -> None:
    path = _write(FRAME, tmp_path / f"in{ending}")
    source = open_paths([path])
    assert source.frame.collect().equals(FRAME)
    assert dict(source.schema) == dict(FRAME.schema)
    assert written(path, dict(FRAME.schema)).collect().equals(FRAME)


def test_folders_and_globs_give_all_files_in_order(tmp_path: Path) -> None:
    for i in range(3):
        _write(FRAME.with_columns(id=pl.lit(i, pl.Int64)), tmp_path / f"part{i}.parquet")
    (tmp_path / ".hidden.parquet").write_bytes(b"not a table")
    for given in (tmp_path, tmp_path / "*.parquet"):
        assert open_paths([given]).frame.collect()["id"].to_list() == [0, 0, 0, 1, 1, 1, 2, 2, 2]


def test_csv_columns_are_text_where_the_policy_needs_text(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("zip;n\n01234;5\n04321;\n")
    source = open_paths([tmp_path / "in.csv"], ReadOptions(separator=";", as_text=lambda name: name == "zip"))
    assert source.frame.collect()["zip"].to_list() == ["01234", "04321"]
    assert source.schema["n"] == pl.Int64


def test_csv_numbers_with_zeros_before_them_are_codes(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("code,month,given,price\n007,1,01,0.5\n7,,02,10\n")
    (tmp_path / "b.csv").write_text("code,month,given,price\n7,07,1,01.5\n")
    options = ReadOptions(types={"given": "int"}, as_number=lambda name: name == "month")
    frame = open_paths([tmp_path / "a.csv", tmp_path / "b.csv"], options).frame.collect()
    assert frame["code"].to_list() == ["007", "7", "7"]
    assert frame["month"].to_list() == [1, None, 7]
    assert frame["given"].to_list() == [1, 2, 1]
    assert frame["price"].to_list() == ["0.5", "10", "01.5"]
    assert open_paths([tmp_path / "a.csv"]).frame.collect()["price"].to_list() == [0.5, 10.0]


def test_other_encodings_are_decoded(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_bytes("name\nJosé\n".encode("latin-1"))
    source = open_paths([tmp_path / "in.csv"], ReadOptions(encoding="latin-1"))
    assert source.frame.collect()["name"].to_list() == ["José"]
    with pytest.raises(PolicyError, match=r"input\.encoding"):
        open_paths([tmp_path / "in.csv"], ReadOptions(encoding="no-such-code"))


def test_duplicate_names_are_refused_in_every_format(tmp_path: Path) -> None:
    pq.write_table(pa.table([[1], [2]], names=["ssn", "ssn"]), tmp_path / "in.parquet")
    (tmp_path / "in.csv").write_text("ssn,ssn\n1,2\n")
    (tmp_path / "in.jsonl").write_text('{"ssn": 1, "ssn": 2}\n')
    for name in ("in.parquet", "in.csv", "in.jsonl"):
        with pytest.raises(InputError, match="duplicate column name ssn"):
            open_paths([tmp_path / name])


def _damaged(tmp_path: Path) -> Path:
    path = _write(FRAME, tmp_path / "whole.parquet")
    path.write_bytes(path.read_bytes()[:-40])
    return path


def _mixed(tmp_path: Path) -> list[Path]:
    return [_write(FRAME, tmp_path / "a.parquet"), _write(FRAME, tmp_path / "b.csv")]


def _drifted(tmp_path: Path) -> list[Path]:
    return [_write(FRAME, tmp_path / "a.parquet"), _write(FRAME.drop("x"), tmp_path / "b.parquet")]


def _lines(path: Path, *lines: str) -> Path:
    path.write_text("".join(line + "\n" for line in lines))
    return path


REFUSED: dict[str, tuple[Callable[[Path], Sequence[str | Path]], str]] = {
    "missing": (lambda folder: [folder / "none.parquet"], "no such file"),
    "empty folder": (lambda folder: [folder], "holds no file"),
    "unknown ending": (lambda folder: [_write(FRAME, folder / "a.csv").rename(folder / "a.xlsx")], "unknown kind"),
    "truncated": (lambda folder: [_damaged(folder)], "not readable as Parquet"),
    "another schema": (_drifted, "do not share one schema: b.parquet differs from a.parquet in x"),
    "two formats": (_mixed, "several formats"),
    "a URL": (lambda _: ["ftp://host/key.parquet"], "URLs of ftp are not read"),
    "a URL as a path": (lambda _: [Path("https://host/a*.csv")], "URLs of https are not read"),
    "another schema of lines": (
        lambda folder: [_lines(folder / "a.jsonl", '{"a": 1}'), _lines(folder / "b.jsonl", '{"a": [1]}')],
        "do not share one schema|of one type",
    ),
    "no JSON": (lambda folder: [_lines(folder / "a.jsonl", '{"a": 1}', "", "{canary")], "a.jsonl, line 3 is not valid"),
    "lists beside numbers": (
        lambda folder: [_lines(folder / "a.jsonl", '{"a": 1}', '{"a": [1]}', '{"a": {"canary": 1}}')],
        "a.jsonl: some column holds values that share no type",
    ),
    "no object": (lambda folder: [_lines(folder / "a.jsonl", '{"a": 1}', "[1]")], "line 2 is not a JSON object"),
    "no lines": (lambda folder: [_lines(folder / "a.jsonl", "")], "no columns are known"),
    "a key twice": (
        lambda folder: [_lines(folder / "a.jsonl", *['{"a": 1}'] * 10_001, '{"a": 1, "b": 2, "b": "canary"}')],
        r"line 10002: duplicate column name b \(2 times\)",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_opened_is_refused(tmp_path: Path, case: str) -> None:
    make, words = REFUSED[case]
    with pytest.raises(InputError, match=words) as caught:
        open_paths(make(tmp_path)).frame.collect()
    assert "canary" not in str(caught.value)


def test_a_change_of_the_input_is_noticed(tmp_path: Path) -> None:
    path = _write(FRAME, tmp_path / "in.parquet")
    source = open_paths([path])
    source.refuse_change()
    _write(FRAME.head(2), path)
    with pytest.raises(InputError, match="changed during the run"):
        source.refuse_change()


def test_arrow_and_polars_tables_are_taken_at_the_door() -> None:
    for table in (FRAME, FRAME.lazy(), FRAME.to_arrow()):
        assert open_frame(table).frame.collect().equals(FRAME)
    with pytest.raises(InputError, match="a table is expected"):
        open_frame([1, 2])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("id,name,k\n1,Zed,a\n1,canary, J,a\n", "line 3: expected 3 fields as in the header, found 4"),
        ("id,name,k\n1,Zed,a\n1,canary\n", "line 3: expected 3 fields as in the header, found 2"),
        ('id,name,k\n1,"Z\ned",a\n\n1,canary,a\n', "line 4 is empty"),
        ('id,name,k\n1,"a\nb",a\n1,"canary,\n",x,y\n', "line 4: expected 3 fields as in the header, found 4"),
        ('id,name,k\n1,"canary,a\n', "never closed"),
        ('id,name,k\n1,"ca"nary,a\n', "follows a closing quote"),
        ('id,name,k\n1,5" canary,a\n1,x,y\n', "line 2: a quote stands in a field that is not in quotes"),
        ('id,"n""m",k\n1,"canary "" x",a\n1, "x",y\n', "line 3: a quote stands in a field that is not in quotes"),
        ("id,name,k\n1,can\rary,a\n", "carriage return"),
        ("\nid,name,k\n1,canary,a\n", "line 1 is empty"),
        ("", "is empty"),
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
def test_csv_rows_that_do_not_line_up_are_refused_by_line(tmp_path: Path, text: str, words: str, encoding: str) -> None:
    (tmp_path / "in.csv").write_bytes(text.encode(encoding))
    with pytest.raises(InputError, match=words) as caught:
        open_paths([tmp_path / "in.csv"], ReadOptions(encoding=encoding))
    assert "canary" not in str(caught.value)


def test_csv_fields_may_hold_anything_in_quotes(tmp_path: Path) -> None:
    frame = pl.DataFrame({"a": ["x,y", 'q"r', "n\nl", "c\r\nr", "z" * 200_000], "b": ["", "1", None, " ", "é"]})
    frame.write_csv(tmp_path / "in.csv")
    assert open_paths([tmp_path / "in.csv"]).frame.select("a").collect().equals(frame.select("a"))


def test_an_empty_line_is_a_row_where_there_is_one_column(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("a\n1\n\n2\n")
    assert open_paths([tmp_path / "in.csv"]).frame.collect()["a"].to_list() == [1, None, 2]


def test_csv_headers_that_differ_are_told_by_file(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x,y\n1,2\n")
    (tmp_path / "b.csv").write_text("y,x\n1,2\n")
    with pytest.raises(InputError, match=r"headers differ: b\.csv"):
        open_paths([tmp_path / "a.csv", tmp_path / "b.csv"])


@pytest.mark.parametrize("separator", ["§", '"', "", ",,"])
def test_a_separator_that_cannot_be_is_the_policys_fault(tmp_path: Path, separator: str) -> None:
    (tmp_path / "in.csv").write_text("a,b\n1,2\n")
    with pytest.raises(PolicyError, match=r"input\.separator"):
        open_paths([tmp_path / "in.csv"], ReadOptions(separator=separator))


@pytest.mark.parametrize("name", ["in.tsv", "in.TSV"])
def test_tab_separated_files_are_read_both_ways(tmp_path: Path, name: str) -> None:
    FRAME.write_csv(tmp_path / name, separator="\t")
    assert open_paths([tmp_path / name]).frame.collect().equals(FRAME)
    assert written(tmp_path / name, dict(FRAME.schema)).collect().equals(FRAME)


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
def test_csv_files_are_one_table(tmp_path: Path, encoding: str) -> None:
    for i, value in enumerate(["1.5", "2"]):
        (tmp_path / f"{i}.csv").write_text(f"é,x\n{value},a\n", encoding=encoding)
    frame = open_paths([tmp_path], ReadOptions(encoding=encoding)).frame.collect()
    assert frame["é"].to_list() == [1.5, 2.0]


def test_columns_of_json_lines_are_those_of_all_lines_and_files(tmp_path: Path) -> None:
    _lines(tmp_path / "a.jsonl", *['{"a": 1}'] * 10_001, '{"late": "x", "a": 2.5}')
    _lines(tmp_path / "b.jsonl")
    _lines(tmp_path / "c.jsonl", '{"second": true}')
    source = open_paths([tmp_path])
    assert dict(source.schema) == {"a": pl.Float64(), "late": pl.String(), "second": pl.Boolean()}
    assert source.frame.tail(2).collect().rows() == [(2.5, "x", None), (None, None, True)]


@pytest.mark.parametrize("name", ["in[1]", "in*", "?", "[", "{a,b}", "a b#%"])
@pytest.mark.parametrize("ending", [".parquet", ".csv", ".jsonl", ".arrow"])
def test_a_name_like_a_pattern_is_that_file_only(tmp_path: Path, name: str, ending: str) -> None:
    folder = tmp_path / name
    folder.mkdir()
    path = _write(FRAME, folder / f"{name}{ending}")
    _write(FRAME.head(1), folder / f"in1{ending}")
    assert open_paths([path]).frame.collect().equals(FRAME)
    assert written(path, dict(FRAME.schema)).collect().equals(FRAME)


@pytest.mark.parametrize("ending", [".parquet", ".csv", ".jsonl", ".arrow"])
def test_a_file_of_a_hive_partition_is_read_as_it_is_on_request(tmp_path: Path, ending: str) -> None:
    folder = tmp_path / "year=2024"
    folder.mkdir()
    path = _write(FRAME, folder / f"in{ending}")
    assert open_paths([path], ReadOptions(hive_ok=True)).frame.collect().equals(FRAME)
    assert written(path, dict(FRAME.schema)).collect().equals(FRAME)
    if ending in (".csv", ".jsonl"):
        with pytest.raises(InputError, match="convert them to Parquet"):
            open_paths([path])


def test_values_of_json_lines_take_the_type_that_holds_them_all(tmp_path: Path) -> None:
    path = _lines(tmp_path / "a.jsonl", '{"a": 1, "b": 1, "c": null, "d": []}', '{"a": 2.5, "b": "x", "d": ["y"]}')
    frame = open_paths([path]).frame.collect()
    assert frame.rows() == [(1.0, "1", None, []), (2.5, "x", None, ["y"])]
    typed = open_paths([path], ReadOptions(types={"a": "str", "none": "int"})).frame.collect()
    assert typed["a"].to_list() == ["1", "2.5"]


def test_no_name_in_a_folder_passes_for_another_file(tmp_path: Path) -> None:
    whole, less = tmp_path / "whole", tmp_path / "less"
    for name in ("a/x", "b/x"):
        (whole / name).parent.mkdir(parents=True)
        (whole / name).write_text(name)
    odd = less / "a" / f"x\n{file_sha256(whole / 'b' / 'x')}  b" / "x"
    odd.parent.mkdir(parents=True)
    odd.write_text("a/x")
    assert file_sha256(whole) != file_sha256(less)


def test_a_pattern_matches_folders_as_their_names_would(tmp_path: Path) -> None:
    """A partitioned table is a folder named *.parquet; a folder without tables is none."""
    pl.DataFrame({"a": [1]}).write_parquet(tmp_path / "one.parquet")
    inside = tmp_path / "two.parquet" / "part"
    inside.mkdir(parents=True)
    pl.DataFrame({"a": [2]}).write_parquet(inside / "0.parquet")
    (tmp_path / "notes.parquet").mkdir()
    assert sorted(open_paths([tmp_path / "*.parquet"]).frame.collect()["a"]) == [1, 2]
    assert sorted(open_paths([tmp_path / "**" / "*.parquet"]).frame.collect()["a"]) == [1, 2]
    with pytest.raises(InputError, match="holds no file that can be read"):
        open_paths([tmp_path / "n*.parquet"])


def test_a_pipe_or_a_device_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.csv")
    (tmp_path / "device.csv").symlink_to("/dev/zero")
    (tmp_path / "broken.csv").symlink_to(tmp_path / "nowhere.csv")
    for name in ("pipe.csv", "device.csv"):
        with pytest.raises(InputError, match=f"{name} is no regular file"):
            open_paths([tmp_path / name])
    with pytest.raises(InputError, match="no such file"):
        open_paths([tmp_path / "broken.csv"])
    with pytest.raises(InputError, match="is no regular file"):
        open_paths([tmp_path / "*.csv"])
