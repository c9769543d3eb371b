"""`doctor` and `help`."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from anonym.pipeline import diagnosing

PROJECT = Path(__file__).parents[2] / "pyproject.toml"


def test_what_is_installed(command: Callable[..., Any]) -> None:
    status, said, _ = command("doctor", "--json")
    found = json.loads(said)
    assert status == 0
    assert found["versions"]["polars"]
    extras = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    assert set(found["extras"]) == set(extras) - {"all", "dev"}
    assert found["machine"]["cores"] >= 1


def test_what_is_missing_comes_with_its_command(command: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(diagnosing, "_is_installed", lambda module: False)
    monkeypatch.setattr(diagnosing, "_models", dict)
    _, said, _ = command("doctor")
    assert "pip install 'anonym[tune]'" in said
    assert "no model finds names" in said


def test_the_list_of_topics_and_a_verb(command: Callable[..., Any]) -> None:
    assert "release " in command("help")[1]
    assert "--suppression" not in command("help", "apply")[1]
    assert "--output" in command("help", "apply")[1]
    assert command("help", "nonsense")[0] == 2
