"""Hierarchy files: what is read, and what is refused with which words."""

from __future__ import annotations

from pathlib import Path

import pytest

from anonym.errors import PolicyError
from anonym.hierarchy.files import read_hierarchy


@pytest.fixture
def written(tmp_path: Path):
    def write(content: str | bytes) -> Path:
        path = tmp_path / "h.csv"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


GOOD = {
    "commas": ("a,x,all\nb,x,all\nc,y,all\n", [("a", "x", "*"), ("b", "x", "*"), ("c", "y", "*")]),
    "semicolons": ("a;x;*\nb,c;x;*\n", [("a", "x", "*"), ("b,c", "x", "*")]),
    "a separator inside quotes does not count": ('"a;b;c",x,*\nd,x,*\n', [("a;b;c", "x", "*"), ("d", "x", "*")]),
    "byte order mark": (b"\xef\xbb\xbfa,*\nb,*\n", [("a", "*"), ("b", "*")]),
    "carriage returns and no last line end": ("a,*\r\nb,*", [("a", "*"), ("b", "*")]),
    "blank lines": ("\na,*\n\nb,*\n\n", [("a", "*"), ("b", "*")]),
    "quotes inside quotes": ('"a ""b""",*\n', [('a "b"', "*")]),
    "line ends inside quotes": ('"a\nb",x,*\nc,x,*\n', [("a\nb", "x", "*"), ("c", "x", "*")]),
    "a leaf twice with one ancestry": ("a,x,*\na,x,*\n", [("a", "x", "*")]),
    "an uneven tree repeats the parent": ("a,x,x,*\nb,y,x,*\n", [("a", "x", "x", "*"), ("b", "y", "x", "*")]),
    "the parent repeated may be the root": ("a,all,all\nb,x,all\n", [("a", "*", "*"), ("b", "x", "*")]),
    "empty text is a leaf": (",x,*\na,x,*\n", [("", "x", "*"), ("a", "x", "*")]),
    "a leaf may be called like the root": ("all,x,all\nb,x,all\n", [("all", "x", "*"), ("b", "x", "*")]),
    "one name at two levels is two nodes": ("a,b,u,*\nb,c,u,*\n", [("a", "b", "u", "*"), ("b", "c", "u", "*")]),
    "blanks belong to a cell": (" a,*\na,*\n", [(" a", "*"), ("a", "*")]),
}


@pytest.mark.parametrize("case", GOOD)
def test_good_files(written, case: str) -> None:
    content, expected = GOOD[case]
    table = read_hierarchy(written(content))
    assert table.rows.rows() == expected
    assert table.levels == len(expected[0])


BAD = {
    "empty": ("", ["found neither"]),
    "one column": ("a\nb\n", ["found neither"]),
    "both separators": ("a;b,c\n", ["quote the cells"]),
    "lengths differ": ("a,x,*\nb,*\nc,x,y,*\n", ["line 2: expected 3 cells", "line 3: expected 3 cells"]),
    "two ancestries of a leaf": ("a,x,*\nb,y,*\na,y,*\n", ["line 3, cell 1: expected the parent that line 1 gives"]),
    "two parents of a node": ("a,x,u,*\nb,x,v,*\n", ["line 2, cell 2: expected the parent that line 1 gives"]),
    "two roots": ("a,x,*\nb,y,all\n", ["line 2: expected the root of the first line"]),
    "something above the root": ("a,*,x,*\nb,y,x,*\n", ["line 1, cell 2: expected the root above the root"]),
    "not UTF-8": (b"a,*\nM\xfcnchen,*\n", ["expected UTF-8, found another encoding at byte 5"]),
    "a broken quote": ('a,*\n"secret"b,*\n', ["line 2: expected cells that are quoted in full or not at all"]),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_files_are_refused_by_line(written, case: str) -> None:
    content, expected = BAD[case]
    path = written(content)
    with pytest.raises(PolicyError) as caught:
        read_hierarchy(path)
    assert len(caught.value.faults) == len(expected)
    for fault, words in zip(caught.value.faults, expected, strict=True):
        assert words in fault.expected
        assert fault.path == str(path)


def test_no_cell_of_the_file_is_in_any_error(written) -> None:
    for content in (
        "canary,x,*\ncanary,y,*\n",
        b"canary,*\n\xff,*\n",
        'canary,"ca\nnary"x,*\n',
        "canary;canary,canary\n",
    ):
        with pytest.raises(PolicyError) as caught:
            read_hierarchy(written(content))
        assert "canary" not in str(caught.value)
        assert caught.value.__cause__ is None
        assert caught.value.__context__ is None


def test_many_faults_are_cut_and_counted(written) -> None:
    with pytest.raises(PolicyError) as caught:
        read_hierarchy(written("a,x,*\n" + "a,y,*\n" * 50))
    assert len(caught.value.faults) == 21
    assert caught.value.faults[-1].expected == "30 more faults of this kind"


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(PolicyError, match=r"none\.csv: expected a readable hierarchy file"):
        read_hierarchy(tmp_path / "none.csv")


def test_a_leaf_is_looked_up_and_covered(written) -> None:
    table = read_hierarchy(written("a,x,all\nb,x,all\nc,y,all\n"))
    assert table.labels("b") == ("b", "x", "*")
    assert table.labels("d") is None
    assert table.covers("x", "a")
    assert not table.covers("y", "a")
    assert table.covers("*", "d")
    assert not table.covers("all", "a")


def test_the_adult_hierarchies_read(bench_data: Path) -> None:
    sizes = {
        path.name: read_hierarchy(path).rows.shape for path in (bench_data / "adult").glob("adult_hierarchy_*.csv")
    }
    assert sizes["adult_hierarchy_age.csv"] == (100, 5)
    assert sizes["adult_hierarchy_native-country.csv"] == (41, 3)
    assert len(sizes) == 9
