"""Values at the edges of what generalises them, and hierarchy files at the edges of their format."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from cases.desk import AS_IS, Run, promise

Call = Callable[..., Run]

LABELS: dict[str, tuple[Any, Any, dict[str, Any], list[str | None]]] = {
    "below zero": (
        [-1, 0, -10, -11, 9],
        pl.Int64,
        {"interval": [10]},
        ["-10--1", "0-9", "-10--1", "-20--11", "0-9"],
    ),
    "floats on an edge": (
        [0.3, 0.7, 0.1 + 0.2, 0.6, 0.29],  # 0.7 / 0.1 is 6.999999999999999
        pl.Float64,
        {"interval": [0.1]},
        ["[0.3, 0.4)", "[0.7, 0.8)", "[0.3, 0.4)", "[0.6, 0.7)", "[0.2, 0.3)"],
    ),
    "zeros": ([-0.5, -0.0, 0.0], pl.Float64, {"interval": [1]}, ["[-1, 0)", "[0, 1)", "[0, 1)"]),
    "decimals on an edge": (
        [Decimal("0.3"), Decimal("0.7"), Decimal("-0.1")],
        pl.Decimal(9, 1),
        {"interval": [0.1]},
        ["[0.3, 0.4)", "[0.7, 0.8)", "[-0.1, 0)"],
    ),
    "wider than the type": ([127, -128, 0], pl.Int8, {"interval": [100]}, ["100-199", "-200--101", "0-99"]),
    "beyond 2^53": (
        [9007199254740993, 9007199254740992],
        pl.Int64,
        {"interval": [1000]},
        ["9007199254740000-9007199254740999"] * 2,
    ),
    "before 1970": ([date(1969, 12, 31), date(1600, 2, 29)], pl.Date, {"date": ["month"]}, ["1969-12", "1600-02"]),
    "the last microsecond before 1970": (
        [datetime(1969, 12, 31, 23, 59, 59, 999999)],
        pl.Datetime("us"),
        {"date": ["month"]},
        ["1969-12"],
    ),
    "an hour of Berlin": (
        [datetime(2023, 12, 31, 23, 30, tzinfo=UTC)],
        pl.Datetime("us", "Europe/Berlin"),
        {"date": ["month"]},
        ["2024-01"],
    ),
    "codes of several lengths": (["1", "12", "123", None], pl.String, {"prefix": [1]}, ["1**", "1**", "1**", None]),
    "letters beyond ASCII": (["ÄB1", "äB1"], pl.String, {"prefix": [2]}, ["ÄB*", "äB*"]),
    "addresses of a network": (["10.0.0.1", "10.0.0.255"], pl.String, {"ip": [24]}, ["10.0.0.0/24"] * 2),
}


@pytest.mark.parametrize(("values", "dtype", "hierarchy", "labels"), LABELS.values(), ids=LABELS)
def test_labels_at_the_edges(
    run: Call, values: Any, dtype: Any, hierarchy: dict[str, Any], labels: list[str | None]
) -> None:
    pl.DataFrame({"q": pl.Series(values).cast(dtype)}).write_parquet("in.parquet")
    quasi = {"role": "quasi", "hierarchy": hierarchy, "finest": 1, "coarsest": 1}
    done = run("apply", promise({"q": quasi}, 1, order="keep"), "in.parquet", "--quiet")
    assert done.status == 0, done.err
    assert done.released["q"].to_list() == labels
    verified = run("verify", Path("out.report.json"), "--original", "in.parquet", "--quiet")
    assert verified.status == 0, verified.err


@pytest.mark.parametrize("strategy", ["global", "local"])
@pytest.mark.parametrize("form", ["bounds", "representative"])
@pytest.mark.parametrize(
    ("values", "dtype"),
    [
        ([120, 127, 125], pl.Int8),
        ([250, 255, 251], pl.UInt8),
        ([-(2**63), 2**63 - 1, 0], pl.Int64),
        ([2**64 - 1, 0, 7], pl.UInt64),
    ],
)
def test_forms_at_the_ends_of_a_type(run: Call, values: list[int], dtype: Any, form: str, strategy: str) -> None:
    """A bound that the type cannot hold is widened with its type or refused, never wrapped around."""
    pl.DataFrame({"q": pl.Series(values, dtype=dtype)}).write_parquet("in.parquet")
    quasi = {"role": "quasi", "hierarchy": {"interval": [100]}, "finest": 1, "form": form}
    policy = promise({"q": quasi}, 3, search={"strategy": strategy})
    done = run("apply", policy, "in.parquet", "--quiet")
    assert done.status in (0, 4), done.err
    if done.status == 0:
        assert run("verify", Path("out.report.json"), "--original", "in.parquet", "--quiet").status == 0
        row = done.released.row(0)
        if form == "representative":
            assert done.released.schema == {"q": dtype}
            assert row[0] is None or min(values) <= row[0] <= max(values)
        elif row != (None, None):
            assert row[0] <= min(values) <= max(values) <= row[1]


SPELLINGS = [("Avel", "avel"), ("Avel", "Avel "), ("é", "e\u0301"), ("ß", "ss"), ("Ａ", "A"), ("Avel", "AVEL\u00a0")]


@pytest.mark.parametrize("strategy", ["global", "local"])
@pytest.mark.parametrize(("usual", "other"), SPELLINGS)
def test_spellings_are_one_value_where_the_policy_says_so_and_else_two(
    run: Call, usual: str, other: str, strategy: str
) -> None:
    pl.DataFrame({"q": [usual, usual, other]}).write_parquet("in.parquet")
    assert run("apply", promise({"q": AS_IS}, 2, search={"strategy": strategy}), "in.parquet", "--quiet").status == 3
    alike = AS_IS | {"normalise": ["trim", "casefold", "nfkc"]}
    done = run("apply", promise({"q": alike}, 3, search={"strategy": strategy}), "in.parquet", "--quiet")
    assert done.status == 0, done.err
    assert done.released["q"].n_unique() == 1


FILES: dict[str, tuple[str, int]] = {
    "a mark before it": ("\ufeffa;x;*\nb;x;*\n", 0),
    "lines that end in CR LF": ("a;x;*\r\nb;x;*\r\n", 0),
    "empty lines": ("a;x;*\n\nb;x;*\n\n", 0),
    "quotes": ('"a";"x";"*"\n"b";"x";"*"\n', 0),
    "commas": ("a,x,*\nb,x,*\n", 0),
    "a root of its own name": ("a;x;any\nb;x;any\n", 0),
    "leaves that no row has": ("a;x;*\nb;x;*\ncanary;canary-node;*\n", 0),
    "a leaf under two nodes": ("a;x;*\na;y;*\nb;x;*\n", 2),
    "a node under two nodes": ("a;x;r;*\nb;x;s;*\n", 2),
    "lines of two lengths": ("a;x;*\nb;*\n", 2),
    "two roots": ("a;x\nb;y\n", 2),
    "nothing": ("", 2),
}


@pytest.mark.parametrize(("text", "status"), FILES.values(), ids=FILES)
def test_hierarchy_files_at_the_edges_of_their_format(run: Call, text: str, status: int) -> None:
    Path("tree.csv").write_bytes(text.encode())
    pl.DataFrame({"q": ["a", "b"]}).write_parquet("in.parquet")
    along = {"role": "quasi", "hierarchy": {"file": "tree.csv"}, "finest": 1, "coarsest": 1}
    done = run("apply", promise({"q": along}, 2), "in.parquet", "--quiet")
    assert done.status == status, done.err
    assert "canary" not in done.said()
    if status == 0:
        assert done.released["q"].to_list() == ["x", "x"]


def test_a_node_may_be_called_like_a_leaf(run: Call) -> None:
    Path("tree.csv").write_text("Japan;Asia;*\nAsia;Asia;*\nPeru;America;*\n", encoding="utf-8")
    pl.DataFrame({"q": ["Japan", "Asia", "Peru", "Peru"]}).write_parquet("in.parquet")
    along = {"role": "quasi", "hierarchy": {"file": "tree.csv"}}
    done = run("apply", promise({"q": along}, 2), "in.parquet", "--quiet")
    assert done.status == 0, done.err
    assert sorted(done.released["q"]) == ["America", "America", "Asia", "Asia"]
    assert run("verify", Path("out.report.json"), "--original", "in.parquet", "--quiet").status == 0


@pytest.mark.parametrize(
    "hierarchy",
    [
        {"interval": [5, 12]},
        {"interval": [10, 5]},
        {"interval": [0]},
        {"interval": []},
        {"prefix": [3, 5]},
        {"prefix": [3, 3]},
        {"breaks": [20, 10]},
        {"breaks": [10, 10]},
        {"date": ["year", "month"]},
        {"date": ["week", "month"]},
        {"taxonomy": "planets"},
    ],
    ids=str,
)
def test_what_does_not_nest_is_a_fault_of_the_policy(run: Call, hierarchy: dict[str, Any]) -> None:
    pl.DataFrame({"q": ["1", "2"]}).write_parquet("in.parquet")
    refused = run("apply", promise({"q": {"role": "quasi", "hierarchy": hierarchy}}, 2), "in.parquet", "--quiet")
    assert refused.status == 2
    assert "columns.q" in refused.err
