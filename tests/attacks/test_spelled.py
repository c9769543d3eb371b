"""What an attacker reads out of networks, codes and rests, pair by pair."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from anonym.attacks.cover import Kind, Known, covers


def pairs(
    kind: Kind, cells: list[str | None], values: list[str | None], file: Path | None = None
) -> set[tuple[str, str]]:
    known = Known("q", ("q",), "q", kind, file=file)
    found = covers(known, pl.DataFrame({"q": cells}), pl.Series(values))
    return {(str(cells[cell]), str(values[value])) for cell, value in found.iter_rows()}


CASES: dict[str, tuple[Kind, list[str | None], list[str | None], set[tuple[str, str]]]] = {
    "networks": (
        "ip",
        ["192.0.2.0/24", "192.0.0.0/16", "10.0.0.7", "*", None],
        ["192.0.2.9", "192.0.3.9", "10.0.0.7", "no address", None],
        {
            ("192.0.2.0/24", "192.0.2.9"),
            ("192.0.0.0/16", "192.0.2.9"),
            ("192.0.0.0/16", "192.0.3.9"),
            ("10.0.0.7", "10.0.0.7"),
            *(("*", str(value)) for value in ("192.0.2.9", "192.0.3.9", "10.0.0.7", "no address", None)),
        },
    ),
    "both versions": (
        "ip",
        ["2001:db8::/32", "0.0.0.0/0"],
        ["2001:db8::5", "::ffff:10.0.0.1"],
        {("2001:db8::/32", "2001:db8::5"), ("0.0.0.0/0", "::ffff:10.0.0.1")},
    ),
    "the rest of one level": (
        "auto",
        ["a", "other than top 1"],
        ["a", "b", "c"],
        {("a", "a"), ("other than top 1", "b"), ("other than top 1", "c")},
    ),
    "rests of two levels": (
        "auto",
        ["a", "other than top 1", "other than top 2"],
        ["a", "b"],
        {("a", "a"), *((f"other than top {n}", value) for n in (1, 2) for value in "ab")},
    ),
    "auto that became prefixes": ("auto", ["606**"], ["60614", "60714"], {("606**", "60614")}),
}


@pytest.mark.parametrize("case", CASES)
def test_which_cells_cover_which_values(case: str) -> None:
    kind, cells, values, expected = CASES[case]
    assert pairs(kind, cells, values) == expected


def test_codes_are_covered_by_the_nodes_above_their_longest_leaf(tmp_path: Path) -> None:
    file = tmp_path / "codes.csv"
    file.write_text("E,E,E00,all\nE1,E1,E00,all\nF,F,F00,all\n", encoding="utf-8")
    found = pairs("codes", ["E", "E1", "E00", "F00"], ["E11", "E2", "F3", "X"], file)
    assert found == {("E1", "E11"), ("E", "E2"), ("E00", "E11"), ("E00", "E2"), ("F00", "F3")}
