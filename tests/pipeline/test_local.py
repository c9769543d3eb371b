"""Local recoding through the main job, and the forms it has: read again from the release by plain Python."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import anonym
from anonym.errors import GuaranteeError, InputError, PolicyError
from anonym.report import limits

Run = Callable[..., tuple[int, str, str]]
FORMS = ("label", "bounds", "set", "representative")
K = 3


def _policy(form: str, strategy: str = "local", **more: Any) -> dict[str, Any]:
    return {
        "anonym": 1,
        "columns": {
            "age": {"role": "quasi", "hierarchy": {"interval": [5, 20]}, "form": form, "top": 80},
            "job": {"role": "quasi", "hierarchy": "suppress", "form": "label" if form == "bounds" else form},
            "day": {"role": "quasi", "hierarchy": {"date": ["month", "year"]}, "form": form},
        },
        "guarantee": {"k": K, "suppression": {"max": 0}},
        "search": {"strategy": strategy, "budget": {"tries": 2000}} | more,
        "order": "keep",
    }


JOBS = st.sampled_from(["clerk", "cook", "pilot", None])
ROW = st.tuples(
    st.one_of(st.none(), st.integers(15, 99)), JOBS, st.integers(0, 800).map(lambda d: date(2020, 1, 1) + timedelta(d))
)
TABLES = st.lists(ROW, min_size=K, max_size=40)
RUNS = settings(deadline=None, max_examples=15, suppress_health_check=[HealthCheck.too_slow])


def _table(rows: list[Any]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema={"age": pl.Int16, "job": pl.String, "day": pl.Date}, orient="row")


def _hashable(cell: Any) -> Any:
    return tuple(cell) if isinstance(cell, list) else cell


def _sizes(frame: pl.DataFrame) -> Counter[tuple[Any, ...]]:
    return Counter(tuple(map(_hashable, row)) for row in frame.iter_rows())


@pytest.mark.parametrize("form", FORMS)
@RUNS
@given(rows=TABLES)
def test_every_class_has_k_and_every_row_is_there(form: str, rows: list[Any]) -> None:
    release = anonym.apply(_policy(form), _table(rows))
    out = release.data.collect()
    assert out.height == len(rows)
    assert min(_sizes(out).values()) >= K
    assert release.evidence["search"]["strategy"] == "local"
    assert release.evidence["guarantee"]["k"]["achieved"] == min(_sizes(out).values())


@RUNS
@given(rows=TABLES)
def test_sets_cover_their_rows_and_name_no_rare_value(rows: list[Any]) -> None:
    table = _table(rows)
    out = anonym.apply(_policy("set"), table).data.collect()
    jobs, ages, days = (Counter(table[name]) for name in ("job", "age", "day"))
    month_ends = {date(y, m, 1) for y in range(2020, 2024) for m in range(1, 13)}
    month_ends |= {day - timedelta(1) for day in month_ends}
    for (age, job, day), (ages_, jobs_, days_) in zip(table.iter_rows(), out.iter_rows(), strict=True):
        assert jobs_ is None or (job in jobs_ and all(jobs[one] >= K for one in jobs_))
        assert jobs_ is None or jobs_ == sorted(jobs_, key=lambda one: (one is None, one or ""))
        assert days_ is None or (days_[0] <= day <= days_[1] and all(days[d] >= K or d in month_ends for d in days_))
        if ages_ is None:
            continue
        if age is None:
            assert ages_ == [None]
            continue
        low, high = ages_
        assert low <= min(age, 80)
        assert high is None if age >= 80 else high is None or age <= high
        assert low == 80 or ages[low] >= K or low % 5 == 0
        assert high is None or ages[high] >= K or high % 5 == 4
        assert high is None or high < 80


@RUNS
@given(rows=TABLES)
def test_bounds_say_what_sets_say(rows: list[Any]) -> None:
    table = _table(rows)
    for row, out in zip(
        table.iter_rows(), anonym.apply(_policy("bounds"), table).data.collect().iter_rows(), strict=True
    ):
        age, (low, high, _, first, last) = row[0], out
        assert (low is None and high is None) or (low <= min(age, 80) and (high is None or age <= high))
        assert (first is None and last is None) or first <= row[2] <= last


@pytest.mark.parametrize("strategy", ["local", "global"])
@RUNS
@given(rows=TABLES)
def test_a_representative_is_one_of_its_class(strategy: str, rows: list[Any]) -> None:
    table = _table(rows)
    out = anonym.apply(_policy("representative", strategy), table).data.collect()
    assert out.schema == table.schema
    jobs = Counter(table["job"])
    per_class: dict[Any, list[Any]] = {}
    for original, released in zip(table.iter_rows(), out.iter_rows(), strict=True):
        for place in range(3):
            key = released if strategy == "local" else (place, released[place])
            per_class.setdefault((place, key), []).append((original[place], released[place]))
    for (place, _), pairs in per_class.items():
        originals, value = [original for original, _ in pairs], pairs[0][1]
        if value is None:
            continue
        if place == 1:
            assert value in originals
            assert jobs[value] >= K
        else:
            coded = [min(original, 80) if place == 0 else original for original in originals]
            assert min(coded) <= value <= max(coded)


def test_the_mean_and_the_most_frequent_value_stand_for_a_class() -> None:
    first, second, third = date(2020, 1, 1), date(2022, 5, 1), date(2023, 9, 9)
    rows = [(20, "cook", first), (20, "cook", first), (26, "clerk", date(2020, 1, 4))]
    rows += [(60, "pilot", second)] * 3 + [(40, "cook", third)] * 3 + [(70, "clerk", third)] * 3
    out = anonym.apply(_policy("representative"), _table(rows)).data.collect().rows()
    assert out == [(22, "cook", date(2020, 1, 2))] * 3 + rows[3:]


def test_no_value_that_fewer_than_k_hold_stands_for_a_class() -> None:
    rows = [(20, "cook", date(2020, 1, 1))] * 2 + [(20, "clerk", date(2020, 1, 1))]
    rows += [(60, "pilot", date(2022, 5, 1))] * 3
    assert (
        anonym.apply(_policy("representative"), _table(rows)).data.collect()["job"].to_list()
        == [None] * 3 + ["pilot"] * 3
    )


@pytest.mark.parametrize("form", ["set", "representative", "bounds"])
def test_types_are_kept(form: str) -> None:
    table = pl.DataFrame(
        {
            "money": pl.Series([Decimal(n) / 100 for n in range(30)], dtype=pl.Decimal(10, 2)),
            "short": pl.Series([n / 4 for n in range(30)], dtype=pl.Float32),
            "when": pl.Series([date(2024, 3, 1 + n // 2) for n in range(30)]).cast(pl.Datetime("ms", "Europe/Berlin")),
        }
    )
    columns = {name: {"role": "quasi", "hierarchy": "suppress", "form": form} for name in table.columns}
    policy = _policy(form) | {"columns": columns}
    out = anonym.apply(policy, table).data.collect()
    for name, dtype in table.schema.items():
        if form == "bounds":
            assert out.schema[f"{name}_low"] == out.schema[f"{name}_high"] == dtype
        else:
            assert out.schema[name] == (pl.List(dtype) if form == "set" else dtype)


def test_categories_are_released_as_text_for_their_dictionary_names_all() -> None:
    table = pl.DataFrame({"e": pl.Series(["x", "y"] * 5, dtype=pl.Enum(["x", "y", "unused"]))})
    for form, dtype in (("set", pl.List(pl.String)), ("representative", pl.String)):
        policy = _policy(form) | {"columns": {"e": {"role": "quasi", "hierarchy": "suppress", "form": form}}}
        assert anonym.apply(policy, table).data.collect_schema() == {"e": dtype}


def test_the_release_and_its_report_stand_and_can_be_checked(command: Run, table: pl.DataFrame) -> None:
    table.write_parquet("in.parquet")
    columns = {
        "id": {"role": "identifier"},
        "age": {"role": "quasi", "hierarchy": {"interval": [5, 10, 20]}, "form": "set"},
        "zip": {"role": "quasi", "hierarchy": {"prefix": [3, 2]}},
        "dx": {"role": "sensitive", "l": {"distinct": 2}},
        "plan": {"role": "keep"},
    }
    policy = {"anonym": 1, "columns": columns, "guarantee": {"k": 5}, "search": {"strategy": "local"}}
    Path("policy.yaml").write_text(yaml.safe_dump(policy), encoding="utf-8")
    for ending in (".parquet", ".jsonl", ".arrow"):
        status, _, said = command("apply", "policy.yaml", "in.parquet", "-o", f"out{ending}", "--force", "--quiet")
        assert (status, said) == (0, "")
        assert command("check", "policy.yaml", f"out{ending}", "--quiet")[0] == 0
    evidence = json.loads(Path("out.report.json").read_text())
    assert evidence["search"]["levels"] is None
    assert evidence["loss"]["ncp"] < 0.2
    assert {column["form"] for column in evidence["columns"]} == {"set", "label", None}
    status, _, said = command("apply", "policy.yaml", "in.parquet", "-o", "other.csv")
    assert status == 2
    assert "age" in said


def test_one_cell_changed_in_a_set_fails_its_verification(monkeypatch: pytest.MonkeyPatch) -> None:
    from anonym.columns import cells
    from anonym.errors import VerificationError
    from anonym.pipeline import local_recoding

    def wrong(*args: Any) -> pl.Series:
        found = cells.intervals(*args)
        return pl.Series([cell and [cell[0], cell[0]] for cell in found.to_list()], dtype=found.dtype)

    monkeypatch.setattr(local_recoding, "intervals", wrong)
    rows = [(20 + n, "cook", date(2020, 1, 1)) for n in range(12)]
    with pytest.raises(VerificationError, match="cells of age cover their originals"):
        anonym.apply(_policy("set"), _table(rows))


def test_a_representative_of_another_class_fails_its_verification(monkeypatch: pytest.MonkeyPatch) -> None:
    from anonym.columns import representative
    from anonym.errors import VerificationError
    from anonym.pipeline import local_recoding

    def swapped(*args: Any) -> pl.Series:
        return representative.representatives(*args).reverse()

    monkeypatch.setattr(local_recoding, "representatives", swapped)
    rows = [(20 + 10 * (n // 4), "cook", date(2020, 1, 1)) for n in range(12)]
    with pytest.raises(VerificationError, match="cells of age stand for their originals"):
        anonym.apply(_policy("representative"), _table(rows))


def test_auto_says_what_both_lose_and_takes_the_less() -> None:
    rows = [(20, "cook", date(2020, 1, 1))] * 6 + [(20 + n, "clerk", date(2020 + n // 6, 1, 1)) for n in range(12)]
    found = anonym.apply(_policy("label", "auto"), _table(rows)).evidence
    alone = anonym.apply(_policy("label", "global"), _table(rows)).evidence
    assert found["search"]["strategy"] == "local"
    assert found["loss"]["ncp"] < alone["loss"]["ncp"]
    assert f"the best global recoding {alone['loss']['ncp']:.4f}" in found["search"]["why"]
    assert "more open to downcoding, which `strategy: global` avoids" in found["search"]["why"]
    assert limits.LOCAL in found["limits"]
    assert limits.LOCAL not in alone["limits"]


def test_auto_stays_global_where_local_gains_nothing() -> None:
    rows = [(age, "cook", date(2020, 1, 1)) for age in (20, 30) for _ in range(5)]
    found = anonym.apply(_policy("label", "auto"), _table(rows)).evidence
    assert found["search"]["strategy"] == "global"
    assert "auto: global" in found["search"]["why"]


@pytest.mark.parametrize("form", ["label", "set"])
@RUNS
@given(rows=st.lists(st.tuples(ROW, st.one_of(st.none(), st.integers(0, 12))), min_size=12, max_size=40))
def test_classes_hold_k_units(form: str, rows: list[Any]) -> None:
    """Null units are together one unit; who is suppressed is counted as it is."""
    table = _table([row for row, _ in rows]).with_columns(who=pl.Series([who for _, who in rows], dtype=pl.Int64))
    policy = _policy(form) | {"unit": "who"}
    policy["columns"]["who"] = {"role": "identifier"}
    policy["guarantee"]["suppression"]["max"] = 0.3
    try:
        release = anonym.apply(policy, table)
    except GuaranteeError:
        assert table["who"].n_unique() < 2 * K  # so few people that some row finds no class
        return
    out, evidence = release.data.collect(), release.evidence
    assert evidence["suppression"]["rows"] == len(rows) - out.height
    assert evidence["suppression"]["units"] == evidence["input"]["units"] - evidence["output"]["units"]
    if out.height == len(rows):
        members: dict[Any, set[Any]] = {}
        for row, who in zip(out.iter_rows(), table["who"], strict=True):
            members.setdefault(tuple(map(_hashable, row)), set()).add(who)
        assert min(map(len, members.values())) == evidence["guarantee"]["k"]["achieved"] >= K


def test_sets_need_local_recoding() -> None:
    with pytest.raises(PolicyError, match=r"needs search\.strategy local or auto"):
        anonym.Policy.load(_policy("set", "global"))
    found = anonym.apply(_policy("set", "auto"), _table([(20, "cook", date(2020, 1, 1))] * 5))
    assert found.evidence["search"]["strategy"] == "local"


def test_bounds_of_words_are_refused() -> None:
    policy = _policy("bounds")
    policy["columns"]["job"]["form"] = "bounds"
    with pytest.raises(InputError, match="bounds needs numbers or dates"):
        anonym.apply(policy, _table([(20, "cook", date(2020, 1, 1))] * 5))


def test_an_end_that_nothing_tells_is_the_policys_fault(tmp_path: Path) -> None:
    """No two rows share an age, the file says nothing of what lies between ages, and `coarsest` forbids `*`."""
    (tmp_path / "ages.csv").write_text("".join(f"{20 + n},{n // 6},*\n" for n in range(12)), encoding="utf-8")
    policy = _policy("set")
    policy["columns"]["age"] = {"role": "quasi", "hierarchy": {"file": str(tmp_path / "ages.csv")}, "form": "set"}
    table = _table([(20 + n, "cook", date(2020, 1, 1)) for n in range(12)])
    anonym.apply(policy, table)
    policy["columns"]["age"]["coarsest"] = 1
    with pytest.raises(PolicyError, match=r"columns\.age\.coarsest"):
        anonym.apply(policy, table)


def test_too_few_rows_for_any_class_are_refused() -> None:
    with pytest.raises(GuaranteeError):
        anonym.apply(_policy("set"), _table([(20, "cook", date(2020, 1, 1))] * (K - 1)))


def test_a_seed_repeats_and_row_order_changes_no_class() -> None:
    rows = [(20 + n * 7 % 40, ["cook", "clerk"][n % 2], date(2020, 1 + n % 12, 1)) for n in range(60)]
    first, again, turned = (
        anonym.apply(_policy("set"), _table(given)).data.collect() for given in (rows, rows, rows[::-1])
    )
    assert first.equals(again)
    assert _sizes(first) == _sizes(turned)


@pytest.mark.parametrize(
    ("form", "strategy"), [("representative", "global"), ("representative", "local"), ("set", "local")]
)
def test_a_column_of_nulls_alone_is_released_as_text_in_every_form(form: str, strategy: str) -> None:
    quasi = {"role": "quasi", "hierarchy": "auto"}
    columns = {"empty": {**quasi, "form": form}, "age": quasi}
    policy = {"anonym": 1, "name": "x", "columns": columns, "guarantee": {"k": 2}, "search": {"strategy": strategy}}
    table = pl.DataFrame({"empty": pl.Series([None] * 12), "age": range(12)})
    released = anonym.apply(policy, table).data.collect()
    assert released["empty"].null_count() == (12 if form == "representative" else 0)
    assert released.schema["empty"] == (pl.String if form == "representative" else pl.List(pl.String))


def test_classes_larger_than_any_row_has_near_rows_are_found() -> None:
    """Every row is its own tuple and k more than the near tuples that are kept of each: a start must reach farther."""
    draw = np.random.default_rng(5)
    table = pl.DataFrame({name: draw.permutation(1_200) for name in "abc"})
    quasi = {"role": "quasi", "hierarchy": {"interval": [50, 200, 400]}, "form": "set"}
    policy = {"anonym": 1, "name": "x", "columns": dict.fromkeys("abc", quasi), "guarantee": {"k": 60}}
    evidence = anonym.apply(policy | {"search": {"strategy": "local"}}, table).evidence
    labels = {name: {**quasi, "form": "label"} for name in "abc"}
    coarse = anonym.apply(policy | {"columns": labels, "search": {"strategy": "global"}}, table).evidence
    assert evidence["guarantee"]["k"]["achieved"] >= 60
    assert evidence["classes"]["count"] > 2 * coarse["classes"]["count"]
    assert evidence["loss"]["ncp"] < 0.8 * coarse["loss"]["ncp"]
