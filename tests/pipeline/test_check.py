"""`check` of released tables, ours and others': what it judges, and what it says that it could not judge."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

import anonym

AS_IS: dict[str, Any] = {"role": "quasi", "hierarchy": "none"}
UNIT_NOT_THERE = "l and t over units were not checked: the release does not hold the unit."


def promise(columns: dict[str, Any], k: int = 2, **more: Any) -> dict[str, Any]:
    return {"anonym": 1, "name": "check", "columns": columns, "guarantee": {"k": k}, **more}


def consistent(verdict: anonym.Verdict) -> bool:
    """What the verdict says, once its evidence says the same: null there where part could not be judged."""
    guarantee = verdict.evidence["guarantee"]
    judged = [part["holds"] for part in (guarantee["k"], *guarantee["l"].values(), *guarantee["t"].values())]
    assert verdict.evidence["verdict"]["holds"] is (None if verdict.holds and None in judged else verdict.holds)
    assert bool(verdict.reasons) is not verdict.holds
    return bool(verdict.holds)


def said(verdict: anonym.Verdict) -> str:
    return " ".join(verdict.evidence["limits"])


def test_a_null_number_is_a_class_of_one() -> None:
    verdict = anonym.check(promise({"q": AS_IS}), pl.DataFrame({"q": [1, 1, None]}))
    assert not consistent(verdict)
    assert verdict.evidence["guarantee"]["k"]["achieved"] == 1
    assert verdict.evidence["suppression"]["rows"] == 0


def test_our_own_bounds_hold_under_t_from_the_table_alone() -> None:
    """Null ages are a class; without its rows the other two would lie nearer to the whole."""
    columns = {
        "age": {"role": "quasi", "hierarchy": {"interval": [10]}, "form": "bounds"},
        "dx": {"role": "sensitive", "t": {"max": 0.34}},
    }
    table = pl.DataFrame({"age": [31] * 4 + [45] * 4 + [None] * 4, "dx": list("aaab") + list("abbb") + list("bbba")})
    policy = promise(columns, k=4)
    release = anonym.apply(policy, table)
    data = release.data.lazy().collect()
    assert data["age_low"].null_count() == 4
    verdict = anonym.check(policy, data)
    assert consistent(verdict)
    assert verdict.evidence["output"]["rows"] == 12
    checked, applied = verdict.evidence["guarantee"], release.evidence["guarantee"]
    assert checked["k"]["achieved"] == applied["k"]["achieved"] == 4
    assert checked["t"]["dx"]["achieved"] == applied["t"]["dx"]["achieved"]


def test_rows_of_stars_are_counted_and_not_held_against_a_limit() -> None:
    """Nobody can tell from a release how many rows there were."""
    verdict = anonym.check(promise({"q": AS_IS}), pl.DataFrame({"q": ["a"] * 4 + ["*"] * 4}))
    assert consistent(verdict)
    suppression = verdict.evidence["suppression"]
    assert (suppression["rows"], suppression["rate"]) == (4, None)
    assert "The suppression limit was not checked" in said(verdict)


RECURSIVE = {"role": "sensitive", "l": {"recursive": {"c": 2, "l": 2}}}


def test_a_release_that_holds_over_units_is_not_judged_over_rows() -> None:
    """One unit with three rows of x, one with a y: over units (2, 2) holds, over rows it does not."""
    columns = {"u": {"role": "identifier"}, "q": AS_IS, "s": RECURSIVE}
    table = pl.DataFrame({"u": [1, 1, 1, 2], "q": ["a"] * 4, "s": list("xxxy")})
    policy = promise(columns, unit="u")
    release = anonym.apply(policy, table)
    verdict = anonym.check(policy, release.data)
    assert consistent(verdict)
    part = verdict.evidence["guarantee"]["l"]["s"]
    assert (part["achieved"], part["holds"]) == (None, None)
    assert UNIT_NOT_THERE in said(verdict)
    assert "recursive l of s (c 3, l 2)" in said(verdict)
    assert "Part of what was promised was not measured (recursive l of s)" in verdict.evidence["verdict"]["sentence"]
    rows = anonym.check(promise({name: columns[name] for name in "qs"}), release.data)
    assert not consistent(rows)


@pytest.mark.parametrize(
    ("asked", "named"),
    [
        ({"l": {"entropy": 2}}, "entropy l of s 1.7"),
        ({"l": {"recursive": {"c": 2, "l": 3}}}, "recursive l of s (c unbounded, l 3)"),
        ({"t": {"max": 0.0}}, "equal t of s 0.125"),
    ],
)
def test_without_the_unit_only_what_rows_bound_is_judged(asked: dict[str, Any], named: str) -> None:
    columns = {"u": {"role": "drop"}, "q": AS_IS, "s": {"role": "sensitive", **asked}}
    released = pl.DataFrame({"q": list("aaaabbbb"), "s": list("xxxyxxyy")})
    verdict = anonym.check(promise(columns, unit="u"), released)
    assert consistent(verdict)
    assert named in said(verdict)
    too_small = anonym.check(promise(columns, k=5, unit="u"), released)
    assert not consistent(too_small)
    assert [reason.split(":")[0] for reason in too_small.reasons] == ["k over rows"]


def test_too_few_distinct_values_over_rows_are_too_few_over_units() -> None:
    columns = {"u": {"role": "drop"}, "q": AS_IS, "s": {"role": "sensitive", "l": {"distinct": 2}}}
    policy = promise(columns, unit="u")
    poor = anonym.check(policy, pl.DataFrame({"q": list("aabb"), "s": list("xyxx")}))
    assert not consistent(poor)
    rich = anonym.check(policy, pl.DataFrame({"q": list("aabb"), "s": list("xyxy")}))
    assert consistent(rich)
    assert "Distinct l of s was counted over rows: over units it may be less." in said(rich)
    assert UNIT_NOT_THERE not in said(rich)


@pytest.mark.parametrize(
    ("role", "units"),
    [
        ({"role": "keep", "allow_unique": "a test"}, 2),
        ({"role": "sensitive"}, 2),
        ({"role": "identifier", "action": "pseudonym", "key": "env:NO_SUCH_KEY"}, 2),
        ({"role": "identifier", "action": "redact"}, None),
        (AS_IS, None),
    ],
)
def test_only_columns_that_tell_units_apart_count_units(role: dict[str, Any], units: int | None) -> None:
    """A mark or a label shared by several units would count them as one."""
    values = ["*", "*"] if units is None else ["u", "v"]
    released = pl.DataFrame({"u": values * 3, "q": ["a"] * 6})
    verdict = anonym.check(promise({"u": role, "q": AS_IS}, unit="u"), released)
    assert verdict.evidence["output"]["units"] == units
    assert consistent(verdict)


@pytest.mark.parametrize("role", [AS_IS, {"role": "identifier", "action": "redact"}])
def test_a_unit_that_is_generalised_or_redacted_joins_no_rows(role: dict[str, Any]) -> None:
    table = pl.DataFrame({"u": ["v", "v", "w", "w", "x", "x"], "q": list("abaabb")})
    policy = promise({"u": role | ({"hierarchy": "suppress"} if role is AS_IS else {}), "q": AS_IS}, unit="u")
    release = anonym.apply(policy, table)
    assert release.evidence["guarantee"]["k"]["counted"] == "units"
    assert consistent(anonym.check(policy, release.data))


def test_a_sensitive_unit_joins_rows() -> None:
    table = pl.DataFrame({"u": ["v", "v", "w", "w"], "q": list("abab")})
    release = anonym.apply(promise({"u": {"role": "sensitive"}, "q": AS_IS}, unit="u"), table)
    assert release.evidence["guarantee"]["k"]["counted"] == "profiles"


def test_raw_values_under_redact_are_told() -> None:
    policy = promise({"ssn": {"role": "identifier", "action": "redact"}, "q": AS_IS})
    raw = anonym.check(policy, pl.DataFrame({"ssn": ["123", "456", None], "q": ["a"] * 3}))
    assert not consistent(raw)
    assert raw.reasons == ("column ssn should hold one redaction mark and holds 2 different values",)
    table = pl.DataFrame({"ssn": ["123", "456", None], "q": ["a"] * 3})
    assert consistent(anonym.check(policy, anonym.apply(policy, table).data))
