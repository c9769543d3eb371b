"""T19 and its kind: what is counted, kept back and printed where a unit has several rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import polars as pl
import pytest
from cases.desk import AS_IS, Run, promise

Call = Callable[..., Run]


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANONYM_KEY", "k" * 40)


def _apply(run: Call, policy: dict[str, Any], table: pl.DataFrame, *words: str) -> Run:
    table.write_parquet("in.parquet")
    return run("apply", policy, "in.parquet", "--quiet", *words)


@pytest.mark.parametrize("action", ["pseudonym", "surrogate"])
@pytest.mark.parametrize("left", ["drop", "mask"])
def test_a_unit_that_leaves_a_class_which_stays_is_counted_as_gone(run: Call, action: str, left: str) -> None:
    """c's profile {x} is its own, a's and b's {x, x} is shared: c goes, the class x stays with two of its units."""
    token = {"role": "identifier", "action": action, "key": "env:ANONYM_KEY"}
    token |= {"kind": "code"} if action == "surrogate" else {}
    table = pl.DataFrame({"u": ["a", "a", "b", "b", "c", "d", "d", "e", "e"], "q": list("xxxxxyyyy")})
    policy = promise({"u": token, "q": AS_IS}, 2, unit="u")
    policy["guarantee"]["suppression"] = {"max": 0.2, "action": left}
    done = _apply(run, policy, table)
    assert done.status == 0, done.err
    suppression = done.evidence["suppression"]
    assert (suppression["rows"], suppression["units"], suppression["units_rate"]) == (1, 1, 0.2)
    assert done.evidence["output"]["units"] == 4
    assert run("verify", done.folder / "out.report.json", "--original", "in.parquet", "--quiet").status == 0


def test_a_label_that_too_few_of_the_units_left_share_is_not_named(run: Call) -> None:
    """Of the label n three units were there and one is left: by cells all three are counted, and n would be printed."""
    rows = [(u, q, v) for u in "ab" for q, v in (("m", "1"), ("m", "2"))]
    rows += [("c", "n", "1"), ("d", "n", "1"), ("d", "n", "2"), ("e", "n", "1"), ("e", "m", "2")]
    rows += [("f", "n", "1"), ("g", "n", "1")]
    table = pl.DataFrame(rows, schema=["u", "q", "v"], orient="row")
    token = {"role": "identifier", "action": "pseudonym", "key": "env:ANONYM_KEY"}
    policy = promise({"u": token, "q": AS_IS, "v": AS_IS}, 2, 0.5, unit="u")
    done = _apply(run, policy, table)
    assert done.status == 0, done.err
    by_label = done.released.group_by("q").agg(pl.col("u").n_unique()).rows()
    named = {entry["group"] for entry in done.evidence["suppression"]["groups"] if entry["column"] == "q"}
    assert named <= {label for label, units in by_label if units >= 2} | {"other"}
    gone = table.height - done.released.height
    assert done.evidence["suppression"]["rows"] == gone
    assert done.evidence["suppression"]["units"] == 7 - done.released["u"].n_unique()


def test_surrogates_that_units_share_are_no_units_to_check_by(run: Call) -> None:
    """Two letters stand for six units: counted by them, a class of three units would have two."""
    token = {"role": "identifier", "action": "surrogate", "kind": "code", "key": "env:ANONYM_KEY"}
    units = list("abcdefghijklmnopqrstuvwx")
    table = pl.DataFrame({"u": units * 2, "q": (["x"] * 3 + ["y"] * 3 + ["z"] * 18) * 2})
    policy = promise({"u": token, "q": AS_IS}, 3, unit="u")
    done = _apply(run, policy, table)
    assert done.status == 0, done.err
    assert done.evidence["guarantee"]["k"]["achieved"] == 3
    checked = run("check", policy, "out.parquet", "--json")
    assert checked.status == 0, checked.err
    assert checked.printed["guarantee"]["k"]["units"] is None
    assert checked.printed["guarantee"]["k"]["rows"] == 6
    assert run("verify", done.folder / "out.report.json", "--original", "in.parquet", "--quiet").status == 0


def test_a_value_has_one_surrogate_in_all_columns_and_none_is_an_identifier_of_the_table(run: Call) -> None:
    """2,000 codes, most of them somebody's: what the first column draws is often a value of another, or of a number."""
    codes = [f"{letter}{number:03}" for letter in "AB" for number in range(1000)]
    customers, agents = codes[:900] + codes[1500:1600], codes[600:1600]
    table = pl.DataFrame({"customer": customers, "agent": agents, "old": agents[::-1], "q": ["x"] * 1000})
    token = {"role": "identifier", "action": "surrogate", "kind": "code", "key": "env:ANONYM_KEY", "domain": "person"}
    columns = {"customer": token, "agent": token, "old": {"role": "identifier"}, "q": AS_IS}
    done = _apply(run, promise(columns, 2, order="keep"), table)
    assert done.status == 0, done.err
    released = done.released
    assert not {*released["customer"], *released["agent"]} & {*customers, *agents}
    by_customer = dict(zip(customers, released["customer"], strict=True))
    by_agent = dict(zip(agents, released["agent"], strict=True))
    both = by_customer.keys() & by_agent.keys()
    assert len(both) == 400
    assert all(by_customer[value] == by_agent[value] for value in both)
