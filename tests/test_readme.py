"""The README's policy, command and output are what a user gets. ANONYM_UPDATE_README=1 writes the output anew."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

README = Path(__file__).parent.parent / "README.md"
FEW = 500  # tickets are enough to see that the Python example runs


def block(mark: str) -> str:
    """The content of the fenced block after <!-- mark -->."""
    found = re.search(rf"<!-- {mark} -->\n```\w+\n(.*?)```\n", README.read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None, f"the README has no block {mark}"
    return found[1]


def anonym(command: str, folder: Path) -> str:
    words = command.split()
    assert words[0] == "anonym"
    done = subprocess.run(
        [sys.executable, "-m", "anonym", *words[1:]], cwd=folder, capture_output=True, text=True, check=True
    )
    return done.stdout


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the demo has been run."""
    folder = tmp_path_factory.mktemp("readme")
    said = anonym("anonym demo", folder)
    assert "report   anonym-demo/release/tickets.report.html" in said
    return folder


def test_the_policy_gives_the_output(sample: Path) -> None:
    (sample / "policy.yaml").write_text(block("policy"), encoding="utf-8")
    assert len(block("policy").splitlines()) == 12
    said = anonym(block("command").strip(), sample)
    if os.environ.get("ANONYM_UPDATE_README"):
        text = README.read_text(encoding="utf-8")
        README.write_text(
            text.replace(f"<!-- output -->\n```text\n{block('output')}", f"<!-- output -->\n```text\n{said}")
        )
    assert _but_for_spans(said) == _but_for_spans(block("output"))


def _but_for_spans(said: str) -> str:
    """Without the counts of what models find in text: they differ between processors in the last digits."""
    return re.sub(r"^(  text notes).*$", r"\1", said, flags=re.MULTILINE)


def test_the_python_example_runs(sample: Path, tmp_path: Path) -> None:
    code = re.search(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    assert code is not None
    (tmp_path / "policy.yaml").write_text(block("policy"), encoding="utf-8")
    (tmp_path / "anonym-demo").mkdir()
    tickets = pl.scan_parquet(sample / "anonym-demo" / "tickets.parquet")
    tickets.head(FEW).sink_parquet(tmp_path / "anonym-demo" / "tickets.parquet")
    subprocess.run([sys.executable, "-c", code[1]], cwd=tmp_path, check=True)
    assert (tmp_path / "other.parquet").exists()


def test_every_command_of_the_table_exists() -> None:
    from anonym.cli import cli

    named = set(re.findall(r"^\| `anonym (\w+)", README.read_text(encoding="utf-8"), re.MULTILINE))
    assert named == set(cli.commands)
