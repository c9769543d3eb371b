"""A small policy that is right, to be spoilt in one place."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from anonym.errors import PolicyError
from anonym.policy import Policy
from anonym.policy.load import parse

Load = Callable[[str], Policy]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A policy's folder with the files that the tests name."""
    for name in ("education.csv", "icd.csv", "voters.parquet"):
        (tmp_path / name).write_text("a,*\n", encoding="utf-8")
    return tmp_path


@pytest.fixture
def load(folder: Path) -> Load:
    """The policy of a YAML text, indented as it likes."""
    return lambda text: parse(textwrap.dedent(text), folder)


@pytest.fixture
def faults(load: Load) -> Callable[[str], list[tuple[str, str]]]:
    """Path and text of every fault of a YAML text."""

    def of(text: str) -> list[tuple[str, str]]:
        with pytest.raises(PolicyError) as caught:
            load(text)
        assert caught.value.__cause__ is None
        return [(fault.path, fault.expected) for fault in caught.value.faults]

    return of


def minimal(**more: Any) -> dict[str, Any]:
    """The least that is a policy with a guarantee."""
    return {"anonym": 1, "columns": {"q": {"role": "quasi"}}, "guarantee": {"k": 2}} | more
