"""`anonym.attack`: the tables that users hold, and the numbers of known faults of other tools."""

from __future__ import annotations

import os
import random
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from naive.events import ratings

import anonym
from anonym.attacks.outcome import AttackResult
from anonym.errors import AnonymError, InputError


def policy(columns: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "anonym": 1,
        "name": "attacked",
        "columns": columns,
        "guarantee": {"k": 5, "suppression": {"max": 0.1}},
        **more,
    }


def named(results: list[AttackResult], name: str) -> AttackResult:
    return next(result for result in results if result.name.startswith(name))


QUASI = {"role": "quasi"}


# known faults --------------------------------------------------------------------------------------------------------


def test_null_matches_nothing_in_the_join_and_a_wild_card_may_only_add() -> None:
    released = pl.DataFrame(
        {"sex": ["F", "F", "M", "M", None], "zip3": ["941", "941", "113", None, None], "dx": list("abcde")}
    )
    auxiliary = pl.DataFrame(
        {
            "who": ["u1", "u2", "u3", "u4", "u5", "u6"],
            "sex": ["F", "F", "M", None, None, "M"],
            "zip3": ["941", "941", "113", None, None, "941"],
        }
    )
    declared = policy({"sex": QUASI, "zip3": QUASI, "dx": {"role": "sensitive"}})
    result = named(anonym.attack(declared, released, auxiliary=auxiliary), "linkage")
    detail = result.detail
    assert (detail["pairs"], detail["released_with_match"], detail["not_attackable"]) == (5, 3, 2)
    assert (detail["unique_match_forward"], detail["pinned_both_ways"]) == (1, 1)
    assert (result.correct, result.rate) == (2.0, 0.4)
    assert (result.targets, result.attempts) == (5, 3)
    assert detail["wild_card"]["rate"] >= 0.4


@pytest.mark.parametrize("truth", [None, "true_rid"])
def test_many_to_many_matches_are_no_successes(truth: str | None) -> None:
    released = pl.DataFrame({"true_rid": [1, 2, 3, 4, 5], "zone": list("AABBC"), "dx": list("abcde")})
    auxiliary = pl.DataFrame({"true_rid": [1, 2, None, 3, 4, None, 5], "zone": list("AAABBDC")})
    declared = policy({"zone": QUASI, "dx": {"role": "sensitive"}})
    result = named(anonym.attack(declared, released, auxiliary=auxiliary, truth=truth), "linkage")
    detail = result.detail
    assert (detail["pairs"], detail["released_with_match"]) == (11, 5)
    assert (detail["unique_match_forward"], detail["pinned_both_ways"]) == (1, 1)
    assert result.correct == pytest.approx(8 / 3)
    assert result.rate == pytest.approx(0.533333333)
    if truth:
        assert detail["expected_truly_correct"] == pytest.approx(8 / 3)
        assert (detail["true_rate"], result.false_accepts) == (pytest.approx(0.533333333), 0)


RELEASED_AS_IS = pl.DataFrame({"a": range(50), "b": [7 * i % 61 for i in range(50)], "s": [i % 5 for i in range(50)]})
PLAIN = policy({"a": QUASI, "b": QUASI, "s": {"role": "sensitive"}})


def test_full_success_fails_and_is_never_no_risk() -> None:
    table = RELEASED_AS_IS
    alone = named(anonym.attack(PLAIN, table, original=table), "linkage")
    assert (alone.correct, alone.attempts, alone.high, alone.verdict) == (50, 50, 1.0, "fail")
    assert 0 < (alone.low or 0) < 1
    same = named(anonym.attack(PLAIN, table, original=table, control=table), "linkage")
    assert (same.rate, same.control, same.advantage) == (1.0, 1.0, None)
    assert same.verdict != "pass"
    assert "not measurable" in same.detail["why"]


def test_no_one_to_attack_is_no_error_and_no_pass() -> None:
    nobody = RELEASED_AS_IS.clear()
    for result in anonym.attack(PLAIN, nobody, original=nobody, control=nobody):
        assert (result.rate, result.low, result.high, result.advantage) == (None, None, None, None)
        assert result.verdict == "inconclusive"


# the call ------------------------------------------------------------------------------------------------------------


def test_pandas_and_arrow_are_taken_at_the_door() -> None:
    table = RELEASED_AS_IS
    expected = [result.as_dict() for result in anonym.attack(PLAIN, table, original=table)]
    for other in (table.lazy(), table.to_arrow()):
        assert [result.as_dict() for result in anonym.attack(PLAIN, other, original=other)] == expected


def test_which_attacks_run_is_by_the_tables_at_hand() -> None:
    declared = policy(
        {"id": {"role": "identifier"}, "a": QUASI, "b": QUASI, "s": {"role": "sensitive"}, "n": {"role": "text"}}
    )
    original = RELEASED_AS_IS.with_columns(
        id=pl.format("person-{}", pl.col("a")), n=pl.format("Re: person-{}", pl.col("a"))
    )
    released = original.drop("id")
    names = lambda **tables: [result.name for result in anonym.attack(declared, released, **tables)]  # noqa: E731
    alone, drivers = "uniqueness (prosecutor)", "drivers of uniqueness"
    assert names() == [alone, drivers]
    assert names(population=1000) == [alone, drivers, "population uniqueness"]
    assert names(auxiliary=original) == [alone, "uniqueness (marketer)", "linkage", drivers]
    assert names(original=original, against=released) == [
        "uniqueness (prosecutor)",
        "linkage",
        "inference of s",
        "copies of training rows",
        "intersection",
        "drivers of uniqueness",
        "downcoding",
        "row order",
        "identifiers left in n",
    ]
    left = named(anonym.attack(declared, released, original=original), "identifiers")
    assert (left.rate, left.verdict) == (1.0, "fail")


def test_globs_and_bounds_are_known_columns_too() -> None:
    declared = policy({"q_*": {"role": "quasi", "hierarchy": {"interval": [10]}, "form": "bounds"}})
    original = pl.DataFrame({"q_a": [1, 5, 13], "q_b": [1, 2, 3]})
    released = pl.DataFrame(
        {"q_a_low": [0, 0, 10], "q_a_high": [9, 9, 19], "q_b_low": [0, 0, 0], "q_b_high": [9, 9, 9]}
    )
    result = named(anonym.attack(declared, released, original=original), "linkage")
    assert (result.correct, result.knows) == (2, ("q_a", "q_b"))


@pytest.mark.parametrize(
    ("tables", "said"),
    [
        ({"auxiliary": pl.DataFrame({"x": [1]})}, "none of the quasi-identifiers"),
        ({"original": RELEASED_AS_IS, "truth": "id"}, "truth names column id"),
        ({"original": RELEASED_AS_IS.cast({"b": pl.String}), "truth": "b"}, "says who is who"),
        ({"against": RELEASED_AS_IS}, "the original is needed"),
        ({"original": 7}, "a table is expected"),
    ],
)
def test_what_cannot_be_run_says_what_it_needs(tables: dict[str, Any], said: str) -> None:
    with pytest.raises(AnonymError, match=said):
        anonym.attack(PLAIN, RELEASED_AS_IS, **tables)


def test_the_categories_of_a_type_are_in_no_message() -> None:
    table = RELEASED_AS_IS.with_columns(b=pl.col("b").cast(pl.String).cast(pl.Enum([str(i) for i in range(4242)])))
    with pytest.raises(InputError, match="is Enum in one table and Int64 in another") as refused:
        anonym.attack(PLAIN, table, original=RELEASED_AS_IS, truth="b")
    assert "4241" not in str(refused.value)


def test_tokens_that_join_nothing_leave_the_intersection_to_the_original() -> None:
    original = RELEASED_AS_IS.with_columns(pl.col("a") // 10)
    tokens = lambda mark: original.with_columns(u=pl.format(mark + "{}", pl.int_range(pl.len())))  # noqa: E731
    declared = policy({"a": QUASI, "u": {"role": "identifier"}, "s": {"role": "sensitive"}}, unit="u")
    by_original = named(anonym.attack(declared, tokens("x"), original=original, against=tokens("y")), "intersection")
    assert (by_original.targets, by_original.correct, by_original.detail["smallest"]) == (50, 0, 10)
    joined = named(anonym.attack(declared, tokens("x"), against=tokens("x").head(7)), "intersection")
    assert (joined.targets, joined.correct) == (7, 0)
    assert joined.detail["k"] == 5


def test_a_release_without_quasi_identifiers_is_refused() -> None:
    with pytest.raises(InputError, match="nothing to attack by"):
        anonym.attack(PLAIN, RELEASED_AS_IS.select("s"))


def test_an_attack_is_the_same_again_whatever_the_row_order() -> None:
    table = RELEASED_AS_IS.with_columns(pl.col("a") // 7)
    once = anonym.attack(PLAIN, table, original=table, control=table.head(20))
    again = anonym.attack(
        PLAIN, table.sample(fraction=1, shuffle=True, seed=1), original=table.reverse(), control=table.head(20)
    )
    for one, other in zip(once, again, strict=True):
        if one.name == "row order":
            continue
        shown, rerun = one.as_dict(), other.as_dict()
        assert {k: pytest.approx(v) if isinstance(v, float) else v for k, v in shown.items() if k != "detail"} == {
            k: v for k, v in rerun.items() if k != "detail"
        }


SHARED = (
    "verdict",
    "seed",
    "rate",
    "low",
    "high",
    "baseline",
    "control",
    "advantage",
    "targets",
    "attempts",
    "correct",
)


def test_every_result_says_what_it_rests_on() -> None:
    table = RELEASED_AS_IS.with_columns(u=pl.format("t{}", "a"))
    columns = {"a": QUASI, "b": QUASI, "u": {"role": "identifier"}, "s": {"role": "sensitive", "l": {"distinct": 2}}}
    results = anonym.attack(
        policy(columns, seed=7, unit="u"), table, table, table, table.head(30), None, table, population=500
    )
    assert len(results) == 14
    for result in results:
        shown = result.as_dict()
        assert set(SHARED) <= set(shown)
        assert {"confidence", "gate", "positive_control", "worst_subgroup"} <= set(result.detail)
        assert (result.seed, bool(result.knows)) == (7, True)
        assert result.rate is None or (result.low or 0) <= result.rate <= (result.high or 0)


def test_minimality_is_tried_where_everybody_has_one_row() -> None:
    table = RELEASED_AS_IS.with_columns(u=pl.format("t{}", "a"))
    columns = {"a": QUASI, "b": QUASI, "u": {"role": "identifier"}, "s": {"role": "sensitive", "l": {"distinct": 2}}}
    for held, tried in ((table, True), (pl.concat([table, table]), False)):
        names = [one.name for one in anonym.attack(policy(columns, unit="u"), held, original=held)]
        assert ("minimality of s" in names) == tried


def test_empty_rows_of_suppressed_people_are_not_attacked() -> None:
    table = RELEASED_AS_IS.with_columns(suppressed=pl.lit(False))
    masked = pl.concat(
        [table, table.head(5).select(pl.lit(None).alias("a"), b=None, s=None, suppressed=True).cast(table.schema)]
    )
    columns = {"a": QUASI, "b": QUASI, "s": {"role": "sensitive"}}
    declared = {**policy(columns), "guarantee": {"k": 5, "suppression": {"max": 0.1, "action": "mask"}}}
    assert [one.targets for one in anonym.attack(declared, masked)] == [50, 50]


def test_any_pair_of_frames_is_attacked_without_a_policy() -> None:
    draw = random.Random(1)

    def made(n: int) -> pl.DataFrame:
        return pl.DataFrame({"x": [draw.gauss(0, 1) for _ in range(n)], "c": [draw.choice("abc") for _ in range(n)]})

    training, fresh = made(3000), made(3000)
    stolen = named(anonym.attack(None, training, original=training, control=fresh), "copies")
    assert (stolen.rate, stolen.verdict) == (1.0, "fail")
    honest = anonym.attack(None, made(3000), original=training, control=fresh)
    assert {named(honest, name).verdict for name in ("copies", "near-copies", "membership")} <= {"pass", "inconclusive"}
    assert abs(named(honest, "near-copies").advantage or 0) < 0.05


def test_copies_are_found_whatever_type_a_generator_writes() -> None:
    """Whole numbers as floats, texts as categories, a column of its own: rows are compared by what both have."""
    training = RELEASED_AS_IS.with_columns(s=pl.format("s{}", "s"))
    stolen = training.with_columns(pl.col("a").cast(pl.Float64), pl.col("s").cast(pl.Categorical), made=pl.lit(1))
    fresh = training.with_columns(pl.col("a") + 100)
    found = named(anonym.attack(None, stolen, original=training, control=fresh), "copies")
    assert (found.rate, found.verdict, found.knows) == (1.0, "fail", ("a", "b", "s"))
    near = stolen.with_columns(pl.col("a") + 0.25)
    assert named(anonym.attack(None, near, original=training), "copies").rate == 0


def test_long_tables_are_attacked_by_their_events() -> None:
    events = ratings(300, 200, seed=1, median=20)
    declared = policy({"person": {"role": "identifier"}, "item": QUASI, "rating": QUASI, "day": QUASI}, unit="person")
    columns = {"item": "item", "value": "rating", "date": "day"}
    found = named(anonym.attack(declared, events, original=events, events=columns), "scoreboard")
    assert (found.rate or 0) > 0.9
    for wrong in ({"item": "none"}, {"value": "rating"}, {"item": "item", "when": "day"}):
        with pytest.raises(AnonymError, match="events"):
            anonym.attack(declared, events, original=events, events=wrong)
    with pytest.raises(InputError, match="needs the original"):
        anonym.attack(declared, events, events=columns)
    tokens = events.with_columns(person=pl.format("t{}", "person"))
    with pytest.raises(InputError, match=r"column person says who is who, but is String .* name another by truth"):
        anonym.attack(declared, tokens, original=events, events=columns)
    numbered = events.with_columns(who="person")
    with pytest.raises(InputError, match="the original table lacks a column of the events: who"):
        anonym.attack(declared, numbered, auxiliary=numbered, original=events, events=columns, truth="who")
    found = anonym.attack(declared, tokens.with_columns(who=events["person"]), numbered, events=columns, truth="who")
    assert (named(found, "scoreboard").rate or 0) > 0.9


def test_tokens_meant_to_last_are_reported_and_not_judged() -> None:
    table = RELEASED_AS_IS.with_columns(u=pl.format("t{}", "a"))
    for scope, verdict in (("project", None), ("release", "fail")):
        token = {"role": "identifier", "action": "pseudonym", "key": "env:KEY_OF_TEST", "scope": scope}
        declared = policy({"a": QUASI, "u": token, "s": {"role": "sensitive"}})
        joined = named(anonym.attack(declared, table, original=table, against=table), "pseudonyms of u")
        assert (joined.rate, joined.verdict) == (1.0, verdict)


# real data -----------------------------------------------------------------------------------------------------------

ADULT = ("sex", "age", "race", "marital-status", "education", "workclass")


@pytest.fixture(scope="module")
def adult(bench_data: Path) -> tuple[dict[str, Any], pl.DataFrame, pl.DataFrame]:
    """A policy of k = 5 with the file hierarchies, people to release, and people held out."""
    folder = bench_data / "adult"
    frame = pl.read_csv(folder / "adult.csv", separator=";").sample(fraction=1, shuffle=True, seed=1)
    hierarchy = lambda name: {"file": str(folder / f"adult_hierarchy_{name}.csv")}  # noqa: E731
    columns = {name: {"role": "quasi", "hierarchy": hierarchy(name)} for name in ADULT}
    kept = frame.select(*ADULT, "salary-class")
    declared = policy(columns | {"salary-class": {"role": "sensitive"}})
    return declared, kept.slice(3000), kept.head(3000)


def noted(people: pl.DataFrame) -> pl.DataFrame:
    """What an attacker has of people: of each one in ten a year off, a letter wrong, a value missing."""
    row = pl.int_range(pl.len()) % 10
    return people.with_columns(
        age=pl.col("age") + (row == 0),
        workclass=pl.when(row == 1).then(pl.col("workclass").str.replace("a", "e")).otherwise("workclass"),
        race=pl.when(row != 2).then("race"),
    )


@pytest.mark.parametrize("strategy", ["global", "local"])
def test_adult_at_five_is_linked_less_than_one_in_five(
    adult: tuple[dict[str, Any], pl.DataFrame, pl.DataFrame], strategy: str
) -> None:
    declared, people, control = adult
    people, declared = people.head(8_000), declared | {"search": {"strategy": strategy}}
    released = anonym.apply(declared, people.lazy()).data.collect()
    for auxiliary in (people, noted(people), people.head(500)):
        result = named(anonym.attack(declared, released, auxiliary=auxiliary), "linkage")
        assert (result.high or 1) < 1 / 5
        assert result.verdict == "pass"
    results = anonym.attack(declared, released, original=people, control=control)
    linked, inferred = named(results, "linkage"), named(results, "inference of salary-class")
    assert linked.detail["positive_control"] > 2 * (linked.rate or 1)
    assert (inferred.rate or 0) > (inferred.baseline or 1)
    assert inferred.advantage is not None  # whatever it is
    assert -0.1 < inferred.advantage < 0.2


@pytest.mark.parametrize("strategy", ["global", "local"])
def test_the_risk_on_adult_falls_with_k(
    adult: tuple[dict[str, Any], pl.DataFrame, pl.DataFrame], strategy: str
) -> None:
    declared, people, _ = adult
    people = people.head(3_000)
    risks = [named(anonym.attack(declared, people, auxiliary=noted(people)), "linkage").rate or 0]
    for k in (2, 5, 20):
        of_k = declared | {"guarantee": {"k": k, "suppression": {"max": 0.1}}, "search": {"strategy": strategy}}
        released = anonym.apply(of_k, people).data.collect()
        risks.append(named(anonym.attack(of_k, released, auxiliary=noted(people)), "linkage").rate or 0)
        assert risks[-1] <= 1 / k
    assert risks == sorted(risks, reverse=True)
    assert risks[0] > 0.3


def test_the_cases_as_they_are_filed(bench_data: Path) -> None:
    files = bench_data.parent / "cases" / "files"
    if not files.is_dir() or os.environ.get("ANONYM_BENCH_DATA"):
        pytest.skip("no case files beside the benchmark data")
    read = lambda name: pl.read_parquet(files / f"{name}.parquet")  # noqa: E731
    declared = policy({"sex": QUASI, "zip3": QUASI, "dx": {"role": "sensitive"}})
    nulls = named(anonym.attack(declared, read("t60_released_null"), auxiliary=read("t60_aux_null")), "linkage")
    assert (nulls.correct, nulls.rate, nulls.detail["pairs"]) == (2.0, 0.4, 5)
    zoned = policy({"rid": {"role": "keep"}, "zone": QUASI, "dx": {"role": "sensitive"}})
    many = named(anonym.attack(zoned, read("t62_released_mn"), auxiliary=read("t62_aux_mn")), "linkage")
    assert (many.detail["pairs"], many.rate) == (11, pytest.approx(0.533333333))
