"""A run that has finished is not repeated; whatever could change its result, or was changed behind it, runs again."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import yaml

Run = Callable[..., tuple[int, str, str]]
APPLY = ("apply", "policy.yaml", "in.parquet", "-o", "out.parquet")


def _write(policy: dict[str, Any]) -> None:
    Path("policy.yaml").write_text(yaml.safe_dump(policy, sort_keys=False), encoding="utf-8")


@pytest.fixture
def done(command: Run, table: pl.DataFrame, policy: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> Run:
    """A finished run whose policy names a file, a key and people for an attack."""
    monkeypatch.setenv("ANONYM_TEST_KEY", "0123456789abcdef0123456789abcdef")
    policy["columns"]["id"] = {"role": "identifier", "action": "pseudonym", "key": "env:ANONYM_TEST_KEY"}
    Path("zip.csv").write_text("".join(f"{one},{one[:2]},*\n" for one in table["zip"].unique().sort()))
    policy["columns"]["zip"]["hierarchy"] = {"file": "zip.csv"}
    policy["search"] = {"strategy": "global"}
    table.write_parquet("in.parquet")
    table.write_parquet("others.parquet")
    _write(policy)
    assert command(*APPLY, "--quiet")[0] == 0
    return command


def _marks() -> dict[str, tuple[bytes, int]]:
    return {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in Path().glob("out*")}


def test_the_same_run_is_not_repeated_and_says_so(done: Run) -> None:
    before = _marks()
    Path(".out.parquet.anonym-part").touch()  # of a killed run
    status, said, err = done(*APPLY, "--force")
    assert (status, err) == (0, "")
    assert said.endswith(
        "nothing was done: the same run has finished before, and its release stands untouched (--again repeats it)\n"
    )
    assert done(*APPLY, "--force", "--quiet") == (0, "", "")
    assert done(*APPLY, "--force", "--json")[1] == Path("out.report.json").read_text()
    assert _marks() == before
    assert list(Path().glob(".out*")) == []


def test_without_force_an_output_that_exists_is_a_fault_of_the_call(done: Run) -> None:
    status, _, err = done(*APPLY)
    assert (status, "--force" in err) == (2, True)


def test_words_of_a_policy_may_be_longer_than_the_name_of_a_file(done: Run) -> None:
    """Some systems refuse to look for a name of more than 255 bytes; a description of an attacker often has more."""
    attacker = "whoever has the register of voters, and knows that a person is in the table; " * 5
    _write(yaml.safe_load(Path("policy.yaml").read_text()) | {"threat_model": {"attacker": attacker + "\0"}})
    assert done(*APPLY, "--force", "--quiet")[::2] == (0, "")


def _runs(done: Run, *words: str) -> bool:
    return "nothing was done" not in done(*APPLY, "--force", *words)[1]


def _touch_input() -> None:
    os.utime("in.parquet")


def _rewrite_input_behind_its_times() -> None:
    state = os.stat("in.parquet")
    Path("in.parquet").write_bytes(Path("in.parquet").read_bytes())
    os.utime("in.parquet", ns=(state.st_atime_ns, state.st_mtime_ns))


def _change_hierarchy() -> None:
    Path("zip.csv").write_text(Path("zip.csv").read_text().replace(",10,", ",11,"))


def _change_policy() -> None:
    _write(yaml.safe_load(Path("policy.yaml").read_text()) | {"order": "keep"})


def _change_key() -> None:
    os.environ["ANONYM_TEST_KEY"] = "another key of thirty-two bytes!"


def _change_release() -> None:
    pl.read_parquet("out.parquet").head(10).write_parquet("out.parquet")


def _lose_plan() -> None:
    Path("out.plan.json").unlink()


def _lose_page() -> None:
    Path("out.report.html").unlink()


CHANGES = (
    _touch_input,
    _rewrite_input_behind_its_times,
    _change_hierarchy,
    _change_policy,
    _change_key,
    _change_release,
    _lose_plan,
    _lose_page,
)
OPTIONS = (("--seed", "7"), ("--control", "others.parquet"), ("--plan", "out.plan.json"))


def test_what_differs_runs_once(done: Run) -> None:
    for change in CHANGES:
        change()
        assert _runs(done), change.__name__
        assert not _runs(done), change.__name__


def test_other_options_are_another_run(done: Run) -> None:
    for words in OPTIONS:
        assert _runs(done, *words), words
        assert not _runs(done, *words), words
    assert _runs(done, *words, "--again")


def test_a_new_version_is_another_run(done: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("anonym.pipeline.evidence.__version__", "0.2.0")
    assert _runs(done)


def test_a_refused_run_is_never_taken_for_a_finished_one(done: Run, table: pl.DataFrame) -> None:
    table.head(4).write_parquet("in.parquet")
    assert done(*APPLY, "--force")[0] == 3
    assert done(*APPLY, "--force")[0] == 3
