"""What two releases of the same people tell joined, on the page of the later one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import yaml

from anonym.pipeline.joining import join_releases

Run = Callable[..., tuple[int, str, str]]


def test_joint_classes_are_those_of_the_people_in_both(
    command: Run, table: pl.DataFrame, policy: dict[str, Any]
) -> None:
    table.write_parquet("in.parquet")
    frames = []
    for name, finest in (("one", {"age": 2, "zip": 1}), ("two", {"age": 1, "zip": 2})):
        for column, level in finest.items():
            policy["columns"][column] |= {"finest": level, "coarsest": level}
        policy["guarantee"]["suppression"]["max"] = 0.9
        Path(name).mkdir()
        Path(name, "policy.yaml").write_text(yaml.safe_dump(policy), encoding="utf-8")
        done = command("apply", f"{name}/policy.yaml", "in.parquet", "-o", f"{name}/r.parquet", "--quiet")
        assert done[0] == 0, done[2]
        frames.append(pl.read_parquet(f"{name}/r.parquet"))
    reports = Path("two/r.report.json"), Path("one/r.report.json")
    alone = join_releases(*reports)
    first, second = ({*frame.select("age", "zip").iter_rows()} for frame in frames)
    expected = {"both": len(first & second), "before": len(first - second), "now": len(second - first)}
    assert alone["classes"] == expected
    assert "the original is needed" in alone["why"]
    people = join_releases(*reports, Path("in.parquet"))["people"]

    def cell(age: int, zip_: str, width: int, length: int) -> tuple[str, str]:
        return f"{age // width * width}-{age // width * width + width - 1}", zip_[:length] + "*" * (4 - length)

    joint: dict[Any, int] = {}
    for age, zip_ in table.select("age", "zip").iter_rows():
        both = cell(age, zip_, 10, 3), cell(age, zip_, 5, 2)
        if both[0] in first and both[1] in second:
            joint[both] = joint.get(both, 0) + 1
    assert people["targets"] == sum(joint.values())
    assert people["detail"]["joint_classes"] == len(joint)
    assert people["detail"]["smallest"] == min(joint.values())
    assert people["correct"] == sum(size for size in joint.values() if size < 5)
    page = command("report", str(reports[0]), "--since", str(reports[1]), "--original", "in.parquet", "--json")
    assert page[0] == 2  # the page is there, and is replaced only with --force
    told = command(
        "report", str(reports[0]), "--since", str(reports[1]), "--original", "in.parquet", "--format", "markdown"
    )
    assert f"{len(joint)} classes, the smallest of {min(joint.values())}" in told[1]
    Path("one/r.parquet").unlink()
    assert "the release of this report is not beside it" in join_releases(*reports)["why"]
