"""Objects of a store as input: the release is that of the same files at hand, and no key of the store is said."""

from __future__ import annotations

import importlib.util
import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import polars as pl
import pytest
import yaml

from anonym.errors import InputError
from anonym.io import open_paths

Run = Callable[..., tuple[int, str, str]]


def _stores() -> ModuleType:
    spec = importlib.util.spec_from_file_location("stores", Path(__file__).parents[1] / "io" / "stores.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def store(table: pl.DataFrame, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, bytes]]:
    """The table in two objects of a bucket."""
    objects = {}
    for number, part in enumerate((table.head(250), table.tail(-250))):
        content = io.BytesIO()
        part.write_parquet(content)
        objects[f"bucket/in/part {number}.parquet"] = content.getvalue()
    with _stores().s3(objects) as environment:
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        yield objects


@pytest.mark.parametrize("url", ["s3://bucket/in/*.parquet", "s3://bucket/in/"])
def test_the_release_is_that_of_the_files(
    command: Run, store: dict[str, bytes], table: pl.DataFrame, policy: dict[str, Any], url: str
) -> None:
    Path("policy.yaml").write_text(yaml.safe_dump(policy | {"search": {"strategy": "global"}}), encoding="utf-8")
    table.write_parquet("in.parquet")
    assert command("apply", "policy.yaml", "in.parquet", "-o", "here.parquet", "--quiet")[0] == 0
    status, said, err = command("apply", "policy.yaml", url, "-o", "there.parquet", "--verbose")
    assert (status, "canary" in said + err) == (0, False)
    one, other = (json.loads(Path(f"{name}.report.json").read_text()) for name in ("here", "there"))
    assert one["output"] == other["output"]
    assert other["input"]["paths"] == [url.rstrip("/").rpartition("/")[2]]
    assert all(b"canary" not in path.read_bytes() for path in Path().glob("there.*"))
    assert "run" not in other["environment"], "objects may have changed: no such run is known to be the same"


def test_every_pass_reads_the_same_rows(
    command: Run, store: dict[str, bytes], table: pl.DataFrame, policy: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The objects change once they have been copied: the release does not notice."""
    from anonym.pipeline import applying

    seen = applying.profile

    def change(*given: Any) -> Any:
        store.clear()
        return seen(*given)

    monkeypatch.setattr(applying, "profile", change)
    Path("policy.yaml").write_text(yaml.safe_dump(policy), encoding="utf-8")
    run = ("apply", "policy.yaml", "s3://bucket/in/*.parquet", "-o", "out.parquet", "--quiet")
    assert command(*run)[0] == 0
    assert pl.read_parquet("out.parquet").height >= 0.95 * table.height


def test_what_cannot_be_read_is_refused_without_the_store_s_words(store: dict[str, bytes]) -> None:
    for url, said in (
        ("s3://bucket/none/*.parquet", "cannot be read: are they there"),
        ("s3://bucket/in/part%207.parquet", "cannot be read: are they there"),
        ("s3://closed/in/*.parquet", "does the environment name the store's keys"),
        ("https://host/in.parquet", "URLs of https are not read"),
        ("s3://bucket/in.csv", "only Parquet"),
        ("s3://bucket/in.parquet?X-Amz-Signature=canary", "a query"),
    ):
        with pytest.raises(InputError, match=said) as caught:
            open_paths([Path(url)])
        assert "canary" not in str(caught.value)
    with pytest.raises(InputError, match="one URL per run"):
        open_paths(["s3://bucket/in/", "s3://bucket/in/"])
