"""The guides: their commands run, their Python runs, and the references say what is there."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from anonym.errors import CallError
from anonym.guides import guide, topics

FOLDER = Path(__file__).parents[2] / "anonym" / "guides"
ORDER = ("release", "scrub", "recall", "attack", "officer", "shell", "train", "embed", "nightly")


def blocks(topic: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", (FOLDER / f"{topic}.md").read_text(encoding="utf-8"), re.M | re.S)


def run(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where all guides run, the first one first: it makes the demo's folder."""
    return tmp_path_factory.mktemp("guides")


def test_every_guide_is_run() -> None:
    assert sorted(ORDER) == sorted(path.stem for path in FOLDER.glob("*.md"))


@pytest.mark.parametrize("topic", ORDER)
def test_the_commands_of_a_guide_run(topic: str, folder: Path) -> None:
    for policy in blocks(topic, "yaml"):
        (folder / f"{re.search(r'name: (.*)', policy)[1]}.yaml").write_text(policy, encoding="utf-8")  # type: ignore[index]
    for block in blocks(topic, "sh"):
        for line in block.splitlines():
            words = line.split()
            assert words[0] == "anonym"
            done = run([sys.executable, "-m", "anonym", *words[1:]], folder)
            allowed = (0, 3, 5) if words[1] == "attack" else (0,)
            assert done.returncode in allowed, f"{line}\n{done.stderr}"
    for code in blocks(topic, "python"):
        done = run([sys.executable, "-c", code], folder)
        assert done.returncode == 0, done.stderr


def test_topics_have_titles_and_unknown_ones_are_refused() -> None:
    assert set(ORDER) < set(topics())
    assert all(topics().values())
    with pytest.raises(CallError, match="release"):
        guide("nonsense")


def test_the_policy_reference_names_every_key() -> None:
    text = guide("policy")
    for key in ("suppression", "hierarchy", "also_from", "recursive", "max_records_per_unit", "prefix"):
        assert re.search(rf"^\s*{key}:", text, re.M), key


def test_exit_statuses_are_those_of_the_errors() -> None:
    assert re.findall(r"^ +(\d+)  ", guide("exit-status"), re.M) == ["0", "1", "2", "3", "4", "5", "6", "130"]
