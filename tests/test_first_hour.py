"""A newcomer with the README alone: from a table of unknown meaning to a signed release, in ten commands or fewer."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
DATA = Path(os.environ.get("ANONYM_BENCH_DATA") or ROOT.parent / "shared" / "data")
ADULT = DATA / "adult" / "adult.csv"
ROWS = 3000
SIGNED = 'reviewed: {by: "J. Doe, DPO", date: 2026-11-30}'


def commands() -> list[str]:
    """The lines of the README's block, without their comments."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    found = re.search(r"<!-- first hour -->\n```sh\n(.*?)```", text, re.DOTALL)
    assert found is not None
    return [re.split(r"\s+#", line)[0] for line in found[1].splitlines()]


def signed(policy: Path) -> None:
    """What the person at the editor does."""
    text = re.sub(r"^reviewed: null.*$", SIGNED, policy.read_text(encoding="utf-8"), flags=re.MULTILINE)
    policy.write_text(text, encoding="utf-8")


def test_ten_commands_or_fewer() -> None:
    assert len(commands()) + 1 <= 10  # with pip install


@pytest.mark.skipif(
    not ADULT.is_file(), reason="UCI Adult is not there: set ANONYM_BENCH_DATA to the folder of its folder"
)
def test_from_a_table_to_a_signed_release(tmp_path: Path) -> None:
    lines = ADULT.read_text(encoding="utf-8").splitlines()[: ROWS + 1]
    (tmp_path / "table.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    said = ""
    for line in commands():
        words = line.split()
        if words[0] == "$EDITOR":
            signed(tmp_path / words[1])
            continue
        done = subprocess.run(
            [sys.executable, "-m", "anonym", *words[1:]], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.returncode == (2 if words[1] == "preview" else 0), done.stderr  # preview: this is no terminal
        said = done.stdout
    assert (tmp_path / "release.report.html").is_file()
    assert "Draft" not in said
    policy = (tmp_path / "policy.yaml").read_text(encoding="utf-8")
    assert len(re.findall(r"role: quasi", policy)) == 8
    assert "role: keep" not in policy
