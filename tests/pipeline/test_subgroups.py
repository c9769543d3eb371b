"""Trees of the evidence name only what at least k share in the release, and count the rest."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import yaml

Run = Callable[..., tuple[int, str, str]]


def nodes(part: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for one in part.get("below", ()):
        yield one
        yield from nodes(one)


@pytest.mark.parametrize("strategy", ["global", "local"])
def test_a_tree_has_the_labels_of_the_release_and_no_others(
    command: Run, table: pl.DataFrame, policy: dict[str, Any], strategy: str
) -> None:
    table.write_parquet("in.parquet")
    Path("policy.yaml").write_text(yaml.safe_dump(policy | {"search": {"strategy": strategy}}), encoding="utf-8")
    assert command("apply", "policy.yaml", "in.parquet", "-o", "out.parquet", "--quiet")[0] == 0
    report = json.loads(Path("out.report.json").read_text())
    trees = {column["name"]: column["tree"] for column in report["columns"] if "tree" in column}
    assert set(trees) == {"age", "zip"}
    released = pl.read_parquet("out.parquet")
    for name, tree in trees.items():
        drawn = [one for one in nodes(tree) if one["level"] == tree["level"]]
        counts = dict(released.group_by(name).len().iter_rows())
        assert tree["groups"]["0"] == table[name].n_unique()
        assert len(drawn) <= 40
        if strategy == "global":
            assert tree["level"] == report["search"]["levels"][name]
            assert {one["label"] for one in drawn} == {label for label, rows in counts.items() if rows >= 5}
        else:
            assert not {one["label"] for one in drawn} & set(table[name].cast(pl.String))
