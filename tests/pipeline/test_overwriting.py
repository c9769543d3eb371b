"""Nothing that a run writes may stand in the place of what it reads, of its own release, or of another's report."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import yaml

import anonym
from anonym.errors import CallError

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def ready(command: Run, table: pl.DataFrame, policy: dict[str, Any]) -> Run:
    policy["search"] = {"strategy": "global"}
    Path("policy.yaml").write_text(yaml.safe_dump(policy | {"unit": "id"}, sort_keys=False), encoding="utf-8")
    for name in ("in.parquet", "others.parquet", "gone.parquet"):
        table.write_parquet(name)
    return command


@pytest.mark.parametrize(
    ("output", "words"),
    [
        ("in.parquet", ()),
        ("others.parquet", ("--control", "others.parquet")),
        ("gone.parquet", ("--exclude-units", "gone.parquet")),
        ("out.parquet", ("--hold-out", "0.1", "--keep-hold-out", "out.parquet")),
        ("out.parquet", ("--hold-out", "0.1", "--keep-hold-out", "in.parquet")),
        ("out.parquet", ("--hold-out", "0.1", "--keep-hold-out", "./in.parquet")),
    ],
)
def test_what_is_read_is_not_written_over(ready: Run, output: str, words: tuple[str, ...]) -> None:
    before = {path.name: path.read_bytes() for path in Path().iterdir()}
    assert ready("apply", "policy.yaml", "in.parquet", "-o", output, "--force", *words)[0] == 2
    assert {path.name: path.read_bytes() for path in Path().iterdir()} == before


def test_a_release_of_the_same_stem_keeps_its_report(ready: Run) -> None:
    assert ready("apply", "policy.yaml", "in.parquet", "-o", "out.parquet", "--quiet")[0] == 0
    before = Path("out.report.json").read_bytes()
    status, _, err = ready("apply", "policy.yaml", "in.parquet", "-o", "out.csv", "--quiet")
    assert (status, "out.parquet" in err) == (2, True)
    assert Path("out.report.json").read_bytes() == before
    release = anonym.apply("policy.yaml", pl.read_parquet("in.parquet"))
    with pytest.raises(CallError, match="choose another stem"):
        release.write("out.csv")
    assert ready("apply", "policy.yaml", "in.parquet", "-o", "out.csv", "--quiet", "--force")[0] == 0


@pytest.mark.parametrize("unit", ["id", None])
def test_a_control_that_is_in_the_input_is_none(ready: Run, unit: str | None) -> None:
    policy = yaml.safe_load(Path("policy.yaml").read_text()) | {"unit": unit}
    policy["attacks"] = {"inference": {"max_advantage": 0.9}}
    Path("policy.yaml").write_text(yaml.safe_dump(policy, sort_keys=False), encoding="utf-8")
    run = ("apply", "policy.yaml", "in.parquet", "-o", "out.parquet", "--control", "others.parquet")
    status, _, err = ready(*run)
    assert (status, "the control" in err, Path("out.parquet").exists()) == (4, True, False)
    others = pl.read_parquet("others.parquet").with_columns(id=pl.format("other-{}", "id"), age=pl.col("age").reverse())
    others.write_parquet("others.parquet")
    assert ready(*run)[0] in (0, 5)


@pytest.mark.parametrize("text", ["\ufeffu1\n", "u1\t\n", " u1 \r\n"])
def test_people_who_withdrew_are_found_however_their_list_was_saved(ready: Run, text: str) -> None:
    table = pl.read_parquet("in.parquet").with_columns(
        id=pl.when(pl.int_range(pl.len()) < 2).then(pl.lit("u1")).otherwise(pl.format("p{}", pl.int_range(pl.len())))
    )
    table.write_parquet("in.parquet")
    Path("w.txt").write_text(text, encoding="utf-8", newline="")
    status, said, err = ready("apply", "policy.yaml", "in.parquet", "-o", "out.parquet", "--exclude-units", "w.txt")
    assert status == 0, err
    assert "excluded 1 of 1 units (0 not in the input), 2 rows" in said


@pytest.mark.parametrize(
    "words",
    [
        ("-o", "x" * 300 + ".parquet"),
        ("-o", "é" * 100 + ".parquet"),  # two bytes each
        ("-o", "out.parquet", "--secret-plan", "../" + "x" * 201),
        ("-o", "out.parquet", "--hold-out", "0.1", "--keep-hold-out", "x" * 240 + ".parquet"),
    ],
)
def test_a_name_too_long_for_its_parts_is_refused_before_anything_is_done(ready: Run, words: tuple[str, ...]) -> None:
    status, _, err = ready("apply", "policy.yaml", "in.parquet", *words)
    assert (status, "take a shorter one, of at most 200" in err) == (2, True), err


def test_the_longest_name_will_do(ready: Run) -> None:
    name = "x" * 192 + ".parquet"
    assert ready("apply", "policy.yaml", "in.parquet", "-o", name, "--quiet") == (0, "", "")
    assert Path(name).exists()
    assert ready("apply", "policy.yaml", "in.parquet", "-o", name, "--force", "--again", "--quiet") == (0, "", "")
