"""k, l and t against a plain twin, against the numbers of the literature, and where other tools went wrong."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import verify as naive

from anonym.errors import InputError
from anonym.verify.facts import Closeness, Facts, IdentifierFact, KeepFact, QuasiFact, SensitiveFact
from anonym.verify.measure import Measured, holds, measure

NONE = None


def facts(*quasi: str, sensitive: tuple[SensitiveFact, ...] = (), **more: Any) -> Facts:
    return Facts(quasi=tuple(QuasiFact(name, (name,)) for name in quasi), sensitive=sensitive, **more)


def of(rows: dict[str, list[Any]], given: Facts, **more: Any) -> Measured:
    return measure(pl.DataFrame(rows, strict=False).lazy(), given, **more)


def reached(measured: Measured, column: str) -> float | None:
    return next(r.achieved for r in measured.diversity if r.column == column)


def distance(measured: Measured, column: str) -> float | None:
    return next(r.achieved for r in measured.closeness if r.column == column)


# --- against the twin

text = st.sampled_from([NONE, "a", "b", "c"])
number = st.sampled_from([NONE, float("nan"), -0.0, 0.0, 1.5])
spelling = st.sampled_from([NONE, "Flu", " flu", "FLU", "gout", "ﬂu", "ulcer"])
salary = st.sampled_from([NONE, 1, 2, 3, 5, 8])
unit = st.sampled_from([NONE, "u", "v", "w", "x", "y"])
table = st.lists(st.tuples(text, number, spelling, salary, unit), min_size=1, max_size=24)

# Two levels below the root; `ulcer` and null hang right under it, whatever level the file repeats it on.
LINES = {"Flu": "lung", " flu": "lung", "FLU": "lung", "ﬂu": "lung", "gout": "joint", "ulcer": "*"}
FILE = [(v, area, "chest" if area == "lung" else "*", "*") for v, area in LINES.items()]
TREE = {v: (v, area, "chest", "*") if area == "lung" else (v, v, v, "*") for v, area in LINES.items()} | {
    "gout": ("gout", "joint", "gout", "*"),
    None: (None, None, None, "*"),
}


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tree") / "tree.csv"
    path.write_text("".join(",".join(f'"{cell}"' for cell in line) + "\n" for line in FILE))
    return path


@settings(max_examples=150, deadline=None)
@given(drawn=table, with_units=st.booleans(), least=st.integers(1, 3))
def test_everything_equals_the_plain_twin(tree: Path, drawn: list[Any], with_units: bool, least: int) -> None:
    rows = [dict(zip(("q", "r", "dx", "pay", "unit"), row, strict=True)) for row in drawn]
    units = [row["unit"] for row in rows] if with_units else None
    frame = pl.DataFrame(
        rows,
        schema={"q": pl.String, "r": pl.Float64, "dx": pl.String, "pay": pl.Int64, "unit": pl.String},
        strict=False,
    )
    order = ("8", "1", "5", "2", "3")
    asked = [
        (("distinct", 2), Closeness(0.2, "equal")),
        (("entropy", 1.5), Closeness(0.2, "hierarchical", file=tree)),
        (("recursive", 1.2, least), Closeness(0.2, "ordered")),
        (("distinct", 2), Closeness(0.2, "ordered", order=order)),
    ]
    for place, (l, t) in enumerate(asked):  # noqa: E741
        column = "pay" if place > 1 else "dx"
        given_facts = facts(
            "q", "r", sensitive=(SensitiveFact(column, l, t),), keep=(KeepFact("pay"),) if place < 2 else ()
        )
        codes = frame["unit"] if with_units else None
        found = measure(frame.lazy(), given_facts, codes)
        _compare(found, rows, column, units, place, least, order)


def _compare(
    found: Measured, rows: list[Any], column: str, units: Any, place: int, least: int, order: tuple[str, ...]
) -> None:
    quasi, values = ("q", "r"), [row[column] for row in rows]
    groups = naive.classes(rows, quasi)
    sizes = [naive.members(g, units) for g in groups.values()]
    assert found.k == min(sizes)
    assert found.sizes.k_rows == naive.k(rows, quasi)
    assert found.sizes.histogram == Counter(sizes)
    assert found.known[column] == naive.k_if_known(rows, quasi, column, units)
    assert sum(found.sizes.rows.values()) == len(rows)
    assert found.sizes.average_rows == pytest.approx(len(rows) / len(groups))
    assert found.sizes.squares == sum(len(g) ** 2 for g in groups.values())
    assert found.sizes.prosecutor_mean == pytest.approx(
        sum(len(g) / naive.members(g, units) for g in groups.values()) / len(rows)
    )
    if units is not None:
        assert found.profiles is not None
        assert found.profiles.k == naive.k_profiles(rows, quasi, units)
        assert found.units == len(set(units))
    parts = [naive.weights(g, values, units) for g in groups.values()]
    whole = naive.pooled(parts)
    l_of = [
        lambda part, n: naive.distinct_l(part, n),
        lambda part, n: naive.entropy_l(part),
        lambda part, n: naive.recursive_c(part, least),
        lambda part, n: naive.distinct_l(part, n),
    ][place]
    declared = [*(int(v) for v in order if int(v) in values), *([None] if None in values else [])]
    t_of = [
        lambda part: naive.t_equal(part, whole),
        lambda part: naive.t_hierarchical(part, whole, TREE),
        lambda part: naive.t_ordered(part, whole, naive.natural(values)),
        lambda part: naive.t_ordered(part, whole, declared),
    ][place]
    worst = max if place == 2 else min
    assert reached(found, column) == pytest.approx(worst(l_of(p, n) for p, n in zip(parts, sizes, strict=True)))
    assert distance(found, column) == pytest.approx(max(map(t_of, parts)), abs=1e-12)
    far = [g for g, p in zip(groups.values(), parts, strict=True) if t_of(p) > 0.2 + 1e-9]
    (close,) = found.closeness
    assert (close.classes, close.rows) == (len(far), sum(map(len, far)))


@settings(max_examples=40, deadline=None)
@given(drawn=table, data=st.data())
def test_row_order_changes_nothing(drawn: list[Any], data: st.DataObject) -> None:
    shuffled = data.draw(st.permutations(drawn))
    asked = facts("q", "r", sensitive=(SensitiveFact("dx"), SensitiveFact("pay", t=Closeness(0.1, "ordered"))))
    found = []
    for rows in (drawn, shuffled):
        frame = pl.DataFrame(
            rows,
            schema=["q", "r", "dx", "pay", "unit"],
            orient="row",
            schema_overrides={"r": pl.Float64, "pay": pl.Int64, "q": pl.String, "dx": pl.String, "unit": pl.String},
        )
        found.append(measure(frame.lazy(), asked, frame["unit"]))
    assert found[0] == found[1]


@settings(max_examples=60, deadline=None)
@given(drawn=table, more=table, with_units=st.booleans())
def test_distance_against_the_input(drawn: list[Any], more: list[Any], with_units: bool) -> None:
    """The input holds values the release lacks; ranks are then those of the input."""
    from anonym.verify.codes import coded
    from anonym.verify.histogram import distribution

    schema = {"q": pl.String, "r": pl.Float64, "dx": pl.String, "pay": pl.Int64, "unit": pl.String}
    released = pl.DataFrame(drawn, schema=schema, orient="row")
    whole = pl.DataFrame([*drawn, *more], schema=schema, orient="row")
    units = whole["unit"].to_list() if with_units else None
    reference = distribution(coded(whole["pay"]), coded(whole["unit"]).codes if with_units else None)
    asked = facts("q", "r", sensitive=(SensitiveFact("pay", t=Closeness(0.1, "ordered")),))
    found = measure(released.lazy(), asked, released["unit"] if with_units else None, {"pay": reference}).closeness[0]
    everything = naive.weights(range(whole.height), whole["pay"].to_list(), units)
    assert dict(reference.iter_rows()) == pytest.approx({v: float(w) for v, w in everything.items()})
    order = naive.natural(whole["pay"].to_list())
    rows = released.to_dicts()
    parts = [
        naive.weights(g, released["pay"].to_list(), units and units[: len(drawn)])
        for g in naive.classes(rows, ("q", "r")).values()
    ]
    assert found.against_input == pytest.approx(max(naive.t_ordered(p, everything, order) for p in parts), abs=1e-12)
    assert found.moved == pytest.approx(naive.t_ordered(naive.pooled(parts), everything, order), abs=1e-12)


# --- numbers of the literature

LI = {
    "cell": list("AAABBBCCC"),
    "salary": [3, 4, 5, 6, 11, 8, 7, 9, 10],
    "disease": ["gastric ulcer", "gastritis", "stomach cancer", "gastritis", "flu", "bronchitis", "bronchitis",
                "pneumonia", "stomach cancer"],
}  # fmt: skip


def test_the_salary_example_of_t_closeness() -> None:
    for cells, expected in (("A", 0.375), ("B", 1 / 6), ("C", 17 / 72)):
        first = [row for row in zip(*LI.values(), strict=True) if row[0] == cells]
        rest = [row for row in zip(*LI.values(), strict=True) if row[0] != cells]
        frame = pl.DataFrame([*first, *rest], schema=list(LI), orient="row")
        # the other classes merged into one that is close: only the class at hand can be the worst
        alone = measure(frame.lazy(), facts("cell", sensitive=(SensitiveFact("salary", t=Closeness(0.2, "ordered")),)))
        assert alone.closeness[0].achieved == pytest.approx(0.375)
        one = frame.filter(pl.col("cell") == cells).lazy()
        against = {"salary": frame.select(value="salary", weight=pl.lit(1.0))}
        asked = facts("cell", sensitive=(SensitiveFact("salary", t=Closeness(0.2, "ordered")),))
        assert measure(one, asked, reference=against).closeness[0].against_input == pytest.approx(expected)


def test_hierarchical_distance_crosses_the_root(tmp_path: Path) -> None:
    """Two families of three diseases: a class of one family must move all of the other half over the root."""
    tree = tmp_path / "d.csv"
    lung, gut = "respiratory", "digestive"
    tree.write_text(
        f"flu,infection,{lung},*\npneumonia,infection,{lung},*\nbronchitis,infection,{lung},*\n"
        f"gastric ulcer,stomach,{gut},*\ngastritis,stomach,{gut},*\nstomach cancer,stomach,{gut},*\n"
    )
    asked = facts("c", sensitive=(SensitiveFact("d", t=Closeness(0.3, "hierarchical", file=tree)),))
    rows = {
        "c": list("AAABBB"),
        "d": ["flu", "pneumonia", "bronchitis", "gastritis", "gastric ulcer", "stomach cancer"],
    }
    assert distance(of(rows, asked), "d") == pytest.approx(0.5)
    with pytest.raises(InputError, match="1 of 6 values are not in its hierarchy file"):
        of({**rows, "d": [*rows["d"][:5], "measles"]}, asked)


def test_equal_distance_of_numbers() -> None:
    found = of(LI, facts("cell", sensitive=(SensitiveFact("salary", t=Closeness(0.2)),)))
    assert distance(found, "salary") == pytest.approx(2 / 3)
    assert [str(f).split(":")[0] for f in holds(found, Facts())] == ["equal t of column salary"]


@settings(max_examples=150, deadline=None)
@given(values=st.lists(st.integers(0, 12), min_size=1, max_size=40), copies=st.integers(1, 7))
def test_rounding_takes_no_distance_below_zero(values: list[int], copies: int) -> None:
    """Classes that are all alike lie at distance 0, or above it by rounding."""
    rows = {"q": [q for q in range(copies) for _ in values], "pay": values * copies}
    for kind in ("ordered", "equal"):
        asked = facts("q", sensitive=(SensitiveFact("pay", t=Closeness(0.1, kind)),))
        reference = {"pay": pl.DataFrame({"value": values, "weight": [1.0] * len(values)})}
        (found,) = of(rows, asked, reference=reference).closeness
        for distance in (found.achieved, found.against_input, found.moved):
            assert distance is not None
            assert 0.0 <= distance < 1e-12


def test_values_absent_from_a_class_count_in_t() -> None:
    rows = {"zone": ["A"] * 5 + ["B"] * 5, "dx": ["gout"] * 5 + ["asthma"] * 5}
    found = of(rows, facts("zone", sensitive=(SensitiveFact("dx", t=Closeness(0.1)),)))
    assert distance(found, "dx") == pytest.approx(0.5)
    assert found.closeness[0].classes == 2


def test_recursive_diversity_takes_counts_in_falling_order() -> None:
    rows = {
        "zone": ["A"] * 10 + ["B"] * 10,
        "dx": ["g"] * 5 + ["a"] * 3 + ["e"] * 2 + ["g"] * 4 + ["a"] * 3 + ["e"] * 3,
    }
    for c, least, bound, fails in ((2.0, 3, 2.5, True), (2.5, 3, 2.5, True), (2.6, 3, 2.5, False), (1.0, 2, 1.0, True)):
        given_facts = facts("zone", sensitive=(SensitiveFact("dx", ("recursive", c, least)),))
        found = of(rows, given_facts)
        assert reached(found, "dx") == bound
        assert bool(holds(found, given_facts)) is fails
    four = of(rows, facts("zone", sensitive=(SensitiveFact("dx", ("recursive", 9.0, 4)),)))
    assert reached(four, "dx") == math.inf


# --- where other tools went wrong


def test_null_is_a_class_of_its_own() -> None:
    rows = {
        "sex": list("FFFMMMF"),
        "job": ["nurse"] * 3 + ["driver"] * 3 + [NONE],
        "dx": ["gout", "asthma", "eczema"] * 2 + ["gout"],
    }
    asked = facts("sex", "job", sensitive=(SensitiveFact("dx", ("entropy", 1.0), Closeness(0.6)),), k=3)
    found = of(rows, asked)
    assert (found.k, found.sizes.histogram, found.sizes.uniques) == (1, {1: 1, 3: 2}, 1)
    assert found.sizes.prosecutor_max == 1
    assert found.sizes.prosecutor_mean == pytest.approx(0.428571429)
    assert found.below == (1, 1)
    assert (found.sizes.rows, found.sizes.squares) == ({1: 1, 3: 6}, 18)
    assert reached(found, "dx") == pytest.approx(1.0)
    assert distance(found, "dx") == pytest.approx(0.571428571)
    assert [f.criterion for f in holds(found, asked)] == ["k over rows"]


def test_both_zeros_are_one_value() -> None:
    found = of(
        {"delta": [0.0, 0.0, -0.0, 1.0, 1.0, 1.0], "dx": list("abcabc")},
        facts("delta", sensitive=(SensitiveFact("dx"),)),
    )
    assert (found.k, found.sizes.histogram) == (3, {3: 2})
    assert (reached(found, "dx"), distance(found, "dx")) == (3, 0.0)


def test_spellings_of_one_value_are_no_diversity() -> None:
    rows = {"zone": list("AAABBB"), "dx": ["Gout", "gout ", "ＧＯＵＴ", "Gout", "Asthma", "Eczema"]}
    asked = facts("zone", sensitive=(SensitiveFact("dx", ("distinct", 2)),), k=3)
    found = of(rows, asked)
    assert reached(found, "dx") == 1
    assert [(f.column, f.achieved, f.classes, f.rows) for f in holds(found, asked)] == [("dx", 1, 1, 3)]
    for one, other in (("㎒", "mhz"), ("Straße", "STRASSE"), ("K", "k"), ("\u00a0a", "A")):
        assert reached(of({"zone": ["A", "A"], "dx": [one, other]}, asked), "dx") == 1


def test_dictionaries_of_row_groups_are_not_compared_by_code(tmp_path: Path) -> None:
    town = ["Avel", "Brun", "Avel", "Brun", "Avel", "Brun", "Cort", "Cort", "Cort"]
    plain = pl.DataFrame({"town": town, "sex": list("FFFFFFMMM"), "dx": list("abcabcabc")})
    parts = [
        plain[6:].cast({"town": pl.Categorical}),
        plain[:2].cast({"town": pl.Categorical}),
        plain[2:6].cast({"town": pl.Categorical}),
    ]
    pl.concat(parts).write_parquet(tmp_path / "c.parquet", row_group_size=3)
    plain.write_parquet(tmp_path / "p.parquet")
    asked = facts("town", "sex", sensitive=(SensitiveFact("dx", ("distinct", 3)),), k=3)
    found = [measure(pl.scan_parquet(tmp_path / f"{name}.parquet"), asked) for name in "cp"]
    assert found[0] == found[1]
    assert (found[0].k, found[0].sizes.count, reached(found[0], "dx")) == (3, 3, 3)
    assert holds(found[0], asked) == []


def test_a_class_spread_over_row_groups(tmp_path: Path) -> None:
    frame = pl.DataFrame({"town": ["Avel", "Brun"] * 6, "dx": list("abcd") * 3})
    frame.write_parquet(tmp_path / "g.parquet", row_group_size=2)
    found = measure(pl.scan_parquet(tmp_path / "g.parquet"), facts("town", sensitive=(SensitiveFact("dx"),), k=6))
    assert (found.k, found.sizes.histogram, reached(found, "dx"), distance(found, "dx")) == (6, {6: 2}, 2, 0.5)


def test_no_rows_are_neither_a_pass_nor_a_failure() -> None:
    schema = {"age": pl.String, "dx": pl.String, "pay": pl.Float64, "plan": pl.String}
    given_facts = facts(
        "age",
        sensitive=(SensitiveFact("dx", ("distinct", 2), Closeness(0.3)), SensitiveFact("pay")),
        k=5,
        keep=(KeepFact("plan"),),
    )
    for units in (None, pl.Series([], dtype=pl.String)):
        found = measure(pl.LazyFrame(schema=schema), given_facts, units)
        assert (found.k, found.sizes.average, found.sizes.prosecutor_max, found.sizes.histogram) == (
            None,
            None,
            None,
            {},
        )
        assert [r.achieved for r in (*found.diversity, *found.closeness)] == [None] * 4
        assert found.known == {"dx": None, "pay": None, "plan": None}
        assert holds(found, given_facts) == []


def test_persons_are_counted_not_rows() -> None:
    rows = {"zone": list("AAABBB"), "dx": ["gout", "asthma", "eczema"] * 2}
    given_facts = facts("zone", sensitive=(SensitiveFact("dx", ("distinct", 2)),), k=3)
    units = pl.Series(["p1", "p1", "p1", "p2", "p3", "p4"])
    found = of(rows, given_facts, unit_codes=units)
    assert (found.k, found.sizes.k_rows, found.sizes.k_units, found.counted) == (1, 3, 1, "units")
    assert found.sizes.histogram == {1: 1, 3: 1}
    assert reached(found, "dx") == 1  # one person's three diseases are no diversity
    assert [f.criterion for f in holds(found, given_facts)] == ["k over units", "distinct l"]
    assert of(rows, given_facts).k == 3
    with pytest.raises(InputError, match="5 unit codes for 6 released rows"):
        of(rows, given_facts, unit_codes=units[:5])


def test_each_sensitive_column_is_judged_alone() -> None:
    rows = {
        "zone": list("AAABBB"),
        "dx": ["gout", "asthma", "eczema"] * 2,
        "income": ["high", "high", "high", "low", "mid", "high"],
    }
    asked = facts(
        "zone", sensitive=(SensitiveFact("dx", ("distinct", 2)), SensitiveFact("income", ("distinct", 2))), k=3
    )
    found = of(rows, asked)
    assert (reached(found, "dx"), reached(found, "income")) == (3, 1)
    assert [f.column for f in holds(found, asked)] == ["income"]


STARS = {
    "age": ["<50", "<50", ">=50", "*", "<50", ">=50", "<50"],
    "sex": list("fmm*fmm"),
    "zip": ["81***"] * 3 + ["*"] + ["81***"] * 3,
    "dx": list("abcdefg"),
}


def test_rows_suppressed_by_somebody_else_are_no_class() -> None:
    asked = facts("age", "sex", "zip", sensitive=(SensitiveFact("dx", ("distinct", 2)),), k=2)
    foreign = of(STARS, asked, own=False)
    assert (foreign.suppressed, foreign.sizes.histogram, foreign.k) == (1, {2: 3}, 2)
    assert (foreign.sizes.prosecutor_max, foreign.sizes.prosecutor_mean, foreign.sizes.uniques) == (0.5, 0.5, 0)
    assert distance(foreign, "dx") == pytest.approx(2 / 3)
    assert foreign.sizes.marketer == pytest.approx(3 / 7)
    own = of(STARS, asked)
    assert (own.suppressed, own.sizes.histogram, own.k) == (0, {1: 1, 2: 3}, 1)
    assert distance(own, "dx") == pytest.approx(6 / 7)


def test_a_foreign_file_of_stars_only_is_one_class() -> None:
    asked = facts("q", "low_high", k=3)
    found = of({"q": ["*"] * 4, "low_high": ["*"] * 4}, asked, own=False)
    assert (found.suppressed, found.k) == (0, 4)


def test_a_null_that_may_be_a_value_is_no_star() -> None:
    numbers = of({"q": [1, 1, NONE]}, facts("q", k=2), own=False)
    assert (numbers.suppressed, numbers.k) == (0, 1)
    bounds = Facts(quasi=(QuasiFact("n", ("n_low", "n_high"), "bounds"), QuasiFact("q", ("q",))), k=2)
    rows = {"n_low": [1, 1, NONE, NONE], "n_high": [2, 2, NONE, NONE], "q": ["a", "a", "*", "b"]}
    found = of(rows, bounds, own=False)
    assert (found.suppressed, found.k, found.sizes.histogram) == (0, 1, {1: 2, 2: 1})
    texts = {"n_low": ["1", "1", "*"], "n_high": ["2", "2", "*"], "q": ["a", "a", "*"]}
    assert of(texts, bounds, own=False).suppressed == 1
    lists = Facts(quasi=(QuasiFact("n", ("n",), "set"),), k=2)
    found = of({"n": [[1, 2], [1, 2], NONE, [NONE]]}, lists, own=False)
    assert (found.suppressed, found.sizes.histogram) == (1, {1: 1, 2: 1})


def test_masked_rows_are_not_counted_unless_something_is_in_them() -> None:
    rows = {"q": ["a", "a", NONE, NONE], "dx": ["x", "y", NONE, "z"], "suppressed": [False, False, True, True]}
    asked = facts("q", sensitive=(SensitiveFact("dx"),), k=2)
    found = of(rows, asked)
    assert (found.rows, found.suppressed, found.k) == (4, 1, 1)
    emptied = of({**rows, "dx": ["x", "y", NONE, NONE]}, asked, unit_codes=pl.Series([1, 2, 3, 4]))
    assert (emptied.suppressed, emptied.k, emptied.units) == (2, 2, 2)
    all_gone = of({"q": [NONE], "dx": [NONE], "suppressed": [True]}, asked)
    assert [(f.criterion, f.achieved, f.rows) for f in holds(all_gone, asked)] == [("k", None, 1)]


def test_tokens_that_join_a_units_rows_ask_for_k_over_profiles() -> None:
    rows = {"q": ["a", "a", "b", "b"], "token": ["t1", "t2", "t1", "t3"]}
    token = (IdentifierFact("token", True, "pseudonym"),)
    units = pl.Series(["u", "v", "u", "w"])
    linked = of(rows, facts("q", identifiers=token, k=2), unit_codes=units)
    assert (linked.linked, linked.counted, linked.k, linked.below) == (("token",), "profiles", 1, (3, 4))
    assert [f.criterion for f in holds(linked, facts("q", k=2))] == ["k over profiles"]
    accepted = of(rows, facts("q", identifiers=token, k=2, linkable=True), unit_codes=units)
    assert (accepted.counted, accepted.k) == ("units", 2)
    scattered = {"q": list("abc"), "token": ["t1", "t2", "t1"]}
    apart = of(scattered, facts("q", identifiers=token, k=2), unit_codes=pl.Series(["u", "u", "u"]))
    assert apart.linked == ("token",)
    apart = of({**rows, "token": ["t1", "t2", "t3", NONE]}, facts("q", identifiers=token, k=2), unit_codes=units)
    assert (apart.linked, apart.k) == ((), 2)
    kept = of(
        {"q": ["a", "a", "b", "b"], "u": ["u", "v", "u", "w"]},
        facts("q", keep=(KeepFact("u", True),), unit="u", k=2),
        unit_codes=units,
    )
    assert (kept.linked, kept.k) == (("u",), 1)


def test_rare_keep_values_break_the_promise_unless_allowed() -> None:
    rows = {"q": ["a"] * 5, "plan": ["gold", "free", "free", "free", "free"]}
    refused = facts("q", keep=(KeepFact("plan"),), k=2)
    (failure,) = holds(of(rows, refused), refused)
    assert (failure.criterion, failure.column, failure.achieved, failure.rows) == (
        "values held by fewer than k",
        "plan",
        1,
        1,
    )
    assert "gold" not in str(failure)
    allowed = facts("q", keep=(KeepFact("plan", True),), k=2)
    assert holds(of(rows, allowed), allowed) == []
    by_unit = of(
        {"q": ["a"] * 4, "plan": ["gold", "gold", "free", "free"]}, refused, unit_codes=pl.Series([1, 1, 2, 3])
    )
    assert (by_unit.rare[0].values, by_unit.rare[0].least) == (1, 1)


def test_entropy_and_t_hold_within_a_billionth() -> None:
    rows = {"q": ["a"] * 3 + ["b"] * 3, "dx": list("xyzxyz")}
    three = math.exp(-3 * (1 / 3) * math.log(1 / 3))
    for asked, fails in ((3.0 + 5e-10, False), (three, False), (3.0 + 1e-8, True)):
        given_facts = facts("q", sensitive=(SensitiveFact("dx", ("entropy", asked)),))
        assert bool(holds(of(rows, given_facts), given_facts)) is fails
    uneven = {"q": ["a"] * 2 + ["b"] * 2, "dx": list("xyxx")}
    for limit, fails in ((0.25, False), (0.25 - 5e-10, False), (0.25 - 1e-8, True)):
        given_facts = facts("q", sensitive=(SensitiveFact("dx", t=Closeness(limit)),))
        assert bool(holds(of(uneven, given_facts), given_facts)) is fails


def test_decimals_are_not_compared_as_floats() -> None:
    loans = pl.Series(["9007199254740992.00"] * 2 + ["9007199254740993.00"] * 2).cast(pl.Decimal(20, 2))
    assert measure(pl.LazyFrame({"loan": loans}), facts("loan")).sizes.histogram == {2: 2}


def test_a_missing_column_is_named() -> None:
    with pytest.raises(InputError, match="lacks 1 column of the policy: zip"):
        of({"age": [1]}, facts("age", "zip"))


def test_many_classes_do_not_overflow_their_keys() -> None:
    """Eleven columns of a thousand values make 2^110 combinations."""
    columns = {
        f"q{i}": pl.int_range(2000, eager=True).map_elements(lambda n, i=i: str(n * (i + 3) % 997), pl.String)
        for i in range(11)
    }
    frame = pl.DataFrame(columns)
    found = measure(frame.lazy(), facts(*columns))
    expected = Counter(Counter(frame.iter_rows()).values())
    assert found.sizes.histogram == expected
