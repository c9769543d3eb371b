"""What a large table must not change: threads, row groups, files, order; and what is said where cells were merged."""

from __future__ import annotations

import copy
import json
import os
import random
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import anonym
from anonym.errors import InputError
from anonym.pipeline import apply_files, applying, local_recoding, profile, recoding, solve
from anonym.pipeline.transform import transform

PROMISES: list[dict[str, Any]] = [
    {},
    {"dx": {"role": "sensitive", "l": {"distinct": 2}, "t": {"max": 0.4, "distance": "equal"}}},
    {"unit": "household", "household": {"role": "keep", "allow_unique": "a test"}},
]


def evidence_and_rows(policy: dict[str, Any], table: Any) -> tuple[dict[str, Any], Counter[Any]]:
    """The evidence but for `environment` and the names of files, and the multiset of released rows."""
    release = anonym.apply(policy, table)
    evidence = {name: part for name, part in release.evidence.items() if name != "environment"}
    return json.loads(json.dumps(evidence)), Counter(release.data.collect().iter_rows())


def noted(table: pl.DataFrame) -> pl.DataFrame:
    """With a text column that names its row's identifier and QI, an address, or nobody."""
    row = pl.int_range(pl.len())
    words = pl.format("{} of {}, aged {}, write to m{}@example.org", "id", "zip", "age", row % 7)
    return table.with_columns(
        note=pl.when(row % 5 > 0).then(pl.when(row % 3 > 0).then(words).otherwise(pl.lit("none")))
    )


def promised(policy: dict[str, Any], promise: dict[str, Any]) -> dict[str, Any]:
    made = copy.deepcopy(policy) | {"text": {"ner": "none"}}
    made["columns"]["note"] = {"role": "text"}
    made["columns"] |= {name: role for name, role in promise.items() if name != "unit"}
    if "unit" in promise:
        made |= {"unit": promise["unit"]}
        made["guarantee"]["linkable"] = "a test"
    else:
        made["columns"] |= {"household": {"role": "drop"}}
    return made


@settings(max_examples=9, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    promise=st.sampled_from(PROMISES),
    strategy=st.sampled_from(["global", "local", "auto"]),
    order=st.randoms(use_true_random=False),
    files=st.integers(1, 4),
    group=st.sampled_from([7, 100, 1000]),
)
def test_order_files_and_row_groups_change_nothing(
    table: pl.DataFrame,
    policy: dict[str, Any],
    promise: dict[str, Any],
    strategy: str,
    order: random.Random,
    files: int,
    group: int,
) -> None:
    table = noted(table.head(120)).with_columns(household=pl.int_range(pl.len()) // 2)
    given = promised(policy, promise) | {"search": {"strategy": strategy, "budget": {"tries": 500}}}
    expected = evidence_and_rows(given, table)
    assert expected[0]["text"]["note"]["spans"]
    places = list(range(table.height))
    order.shuffle(places)
    with tempfile.TemporaryDirectory() as folder:
        for i in range(files):
            table[places[i::files]].write_parquet(Path(folder) / f"{i}.parquet", row_group_size=group)
        found = evidence_and_rows(given, pl.scan_parquet(f"{folder}/*.parquet"))
    assert found == expected


THREADED = """
import json, sys
import polars as pl
from anonym import apply
assert pl.thread_pool_size() == int(sys.argv[1])
release = apply(json.loads(sys.argv[2]), pl.scan_parquet("in.parquet"))
rows = sorted(map(repr, release.data.collect().iter_rows()))
print(json.dumps([{name: part for name, part in release.evidence.items() if name != "environment"}, rows]))
"""


def test_the_number_of_threads_changes_nothing(table: pl.DataFrame, policy: dict[str, Any], tmp_path: Path) -> None:
    table.write_parquet(tmp_path / "in.parquet", row_group_size=50)
    said = [
        subprocess.run(
            [sys.executable, "-c", THREADED, threads, json.dumps(policy)],
            cwd=tmp_path,
            env={**os.environ, "POLARS_MAX_THREADS": threads},
            capture_output=True,
            check=True,
        ).stdout
        for threads in ("1", "3")
    ]
    assert said[0] == said[1]


def test_merged_cells_are_released_and_told(
    table: pl.DataFrame, policy: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(profile, "MOST_CELLS", 60)
    monkeypatch.setattr(solve, "MOST_CELLS", 60)
    release = anonym.apply(policy, table)
    assert min(Counter(release.data.select("age", "zip").collect().iter_rows()).values()) >= 5
    search = release.evidence["search"]
    assert search["strategy"] == "global"
    assert "with finer age, zip left out, for over 60 distinct combinations" in search["why"]
    assert (search["optimal"], search["bound"]) == (False, 0.0)
    assert all(check["held"] for check in release.evidence["verification"]["checks"])
    whole = anonym.apply({**policy, "search": {"strategy": "local"}}, table)  # which needs every value
    assert whole.evidence["search"]["strategy"] == "local"


def test_a_column_of_values_is_not_merged(
    table: pl.DataFrame, policy: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(profile, "MOST_CELLS", 60)
    monkeypatch.setattr(solve, "MOST_CELLS", 60)
    policy["columns"]["age"]["form"] = "representative"
    policy["search"] = {"strategy": "global"}
    assert "with finer zip left out" in anonym.apply(policy, table).evidence["search"]["why"]


@pytest.mark.parametrize("bins", [None, {"interval": [10]}])
def test_classes_found_batch_by_batch_are_those_found_at_once(
    table: pl.DataFrame, policy: dict[str, Any], monkeypatch: pytest.MonkeyPatch, bins: dict[str, Any] | None
) -> None:
    table = table.head(150).with_columns(zip=pl.col("zip").str.head(2), dx=pl.int_range(pl.len()) % 30)
    policy["columns"]["zip"] = {"role": "quasi", "hierarchy": "suppress"}
    policy["columns"]["dx"] |= {"bins": bins} if bins else {}
    policy |= {"order": "keep", "search": {"strategy": "local", "budget": {"tries": 2000}}}
    at_once = anonym.apply(policy, table).data.collect()
    monkeypatch.setattr(local_recoding, "BATCH", 7)
    assert anonym.apply(policy, table).data.collect().equals(at_once)


@pytest.mark.parametrize("limits", [{"TABLE": 1}, {"WORD": 1.0}], ids=["looked up", "as structs"])
def test_classes_of_many_combinations_are_told_alike(
    table: pl.DataFrame, policy: dict[str, Any], monkeypatch: pytest.MonkeyPatch, limits: dict[str, float]
) -> None:
    policy |= {"order": "keep", "search": {"strategy": "global"}}
    policy["columns"]["zip"]["uncovered"] = "suppress"
    expected = anonym.apply(policy, table).data.collect()
    assert expected.height < table.height
    for name, value in limits.items():
        monkeypatch.setattr(recoding, name, value)
    assert anonym.apply(policy, table).data.collect().equals(expected)


def test_an_input_that_changes_after_its_codes_were_kept_is_refused(
    table: pl.DataFrame, policy: dict[str, Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    source, output = tmp_path / "in.parquet", tmp_path / "out.parquet"
    table.write_parquet(source)
    (tmp_path / "policy.yaml").write_text(json.dumps(policy), encoding="utf-8")

    def changed(*given: Any) -> Any:
        table.with_columns(pl.col("age").reverse()).write_parquet(source)
        return transform(*given)

    monkeypatch.setattr(applying, "transform", changed)
    with pytest.raises(InputError, match="the input changed during the run"):
        apply_files(tmp_path / "policy.yaml", [source], output)
    assert not output.exists()
