"""Where shipped data is found, in a checkout and in an installed wheel."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from anonym.rules import rules_folder

PACKAGE = Path(__file__).parent.parent / "anonym"


def test_in_a_checkout_it_lies_beside_the_package() -> None:
    assert rules_folder() == PACKAGE.parent / "rules"
    assert (rules_folder() / "policy.schema.json").is_file()


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """A package folder as a wheel lays it out, without the data."""
    package = tmp_path / "anonym"
    package.mkdir()
    shutil.copy(PACKAGE / "rules.py", package / "rules.py")
    (package / "__init__.py").touch()
    return package


def _printed(package: Path) -> subprocess.CompletedProcess[str]:
    script = "from anonym.rules import rules_folder; print(rules_folder())"
    command = [sys.executable, "-I", "-c", f"import sys; sys.path.insert(0, {str(package.parent)!r}); {script}"]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_in_a_wheel_it_lies_inside_the_package(installed: Path) -> None:
    (installed / "rules").mkdir()
    assert _printed(installed).stdout.strip() == str(installed / "rules")


def test_without_it_the_installation_is_at_fault(installed: Path) -> None:
    done = _printed(installed)
    assert done.returncode == 1
    assert "FileNotFoundError: the folder rules, which ships with anonym, is missing" in done.stderr
