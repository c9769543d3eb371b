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


@pytest.fixture
def released(
    command: Run, table: pl.DataFrame, policy: dict[str, Any], store: dict[str, bytes]
) -> tuple[dict[str, Any], str]:
    """A release here and its object; the policy's file is there too."""
    Path("policy.yaml").write_text(yaml.safe_dump(policy | {"search": {"strategy": "global"}}), encoding="utf-8")
    table.write_parquet("in.parquet")
    assert command("apply", "policy.yaml", "in.parquet", "-o", "here.parquet", "--quiet")[0] == 0
    store["bucket/out/here.parquet"] = Path("here.parquet").read_bytes()
    return json.loads(Path("here.report.json").read_text()), "s3://bucket/out/here.parquet"


def test_a_release_in_a_store_is_checked(command: Run, released: tuple[dict[str, Any], str]) -> None:
    evidence, url = released
    status, said, err = command("check", "policy.yaml", url, "--json")
    found = json.loads(said)
    assert (status, err) == (0, "")
    assert found["guarantee"]["k"] == evidence["guarantee"]["k"]
    assert found["output"]["digest"] == evidence["output"]["digest"]
    status, _, err = command("check", "policy.yaml", "s3://bucket/out/none.parquet")
    assert (status, "cannot be read: are they there" in err, "canary" in err) == (4, True, False)


def test_a_release_in_a_store_is_attacked(command: Run, released: tuple[dict[str, Any], str]) -> None:
    _, url = released
    here, there = (
        command("attack", "policy.yaml", release, "--original", original, "--json", "--targets", 50)
        for release, original in (("here.parquet", "in.parquet"), (url, "s3://bucket/in/*.parquet"))
    )
    assert here[0] == there[0]
    found = [[one for one in json.loads(said) if one["name"] != "row order"] for _, said, _ in (here, there)]
    assert found[0] == found[1] != []  # row order: the objects of a pattern may come in another order


def test_tables_in_a_store_are_tuned(command: Run, released: tuple[dict[str, Any], str]) -> None:
    here, there = (
        command("tune", "policy.yaml", source, "-k", "5", "--json") for source in ("in.parquet", "s3://bucket/in/")
    )
    assert (here[0], there[0]) == (0, 0)
    assert json.loads(here[1])["points"] == json.loads(there[1])["points"]
