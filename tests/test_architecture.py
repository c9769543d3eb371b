"""The layers of the package: imports point downward only, neighbours do not meet, heavy libraries stay put."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "anonym"

LAYERS = [
    {"cli", "namespace"},
    {"pipeline"},
    {"report", "policy", "guides"},
    {"search", "columns", "text", "attacks", "verify", "dp", "demo", "engines"},
    {"criteria", "hierarchy", "io"},
    {"errors", "rules"},
]
LEVEL = {part: level for level, parts in enumerate(LAYERS) for part in parts}
# the value a criterion or a policy names: declarations may be shared inside the lowest working layer
NEIGHBOURS = {("criteria", "hierarchy")}
DOOR_TO_NUMBA = "criteria.jit"  # open to every part
VERIFY_MAY = {"io", "errors", "hierarchy.files"}


def _imports(path: Path) -> set[str]:
    """The dotted names below `anonym` that a module imports, at any depth."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("anonym"):
            inside = node.module.removeprefix("anonym").lstrip(".")
            found |= {inside} if inside else {alias.name for alias in node.names}
        elif isinstance(node, ast.Import):
            found |= {alias.name.removeprefix("anonym.") for alias in node.names if alias.name.startswith("anonym.")}
    return {name for name in found if name and not name.startswith("_") and name != DOOR_TO_NUMBA}


def test_the_door_to_numba_leads_to_nothing_of_ours() -> None:
    assert not _imports(PACKAGE / "criteria" / "jit.py")


def _modules() -> list[Path]:
    doors = {PACKAGE / "__init__.py", PACKAGE / "__main__.py"}
    return [path for path in sorted(PACKAGE.rglob("*.py")) if path not in doors]


def _part(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


@pytest.mark.parametrize("path", _modules(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_point_downward_only(path: Path) -> None:
    part = _part(path)
    for name in _imports(path):
        other = name.split(".")[0]
        assert other in LEVEL, f"{path.name} imports {name}, which is in no layer"
        downward = LEVEL[other] > LEVEL[part] or other == part or (part, other) in NEIGHBOURS
        assert downward, f"{part} must not import {other}"


def test_verification_shares_nothing_with_what_it_verifies() -> None:
    for path in (PACKAGE / "verify").glob("*.py"):
        for name in _imports(path):
            assert name.split(".")[0] == "verify" or name in VERIFY_MAY or name.split(".")[0] in {"io", "errors"}, name


def test_no_cycles_between_parts() -> None:
    edges = {part: set() for part in LEVEL}
    for path in _modules():
        edges[_part(path)] |= {name.split(".")[0] for name in _imports(path)} - {_part(path)}
    done: set[str] = set()
    while ready := {part for part, others in edges.items() if part not in done and others <= done}:
        done |= ready
    assert done == set(edges), f"a cycle among {set(edges) - done}"


HEAVIEST = ["spacy", "presidio_analyzer", "torch", "faker", "detect_secrets", "numba"]
HEAVY = [*HEAVIEST, "polars", "numpy", "pydantic", "rich"]


def test_help_imports_nothing_heavy() -> None:
    script = (
        "import sys\nimport anonym.cli as c\n"
        "try: c.cli.main(['--help'], standalone_mode=False)\nexcept SystemExit: pass\n"
        f"print('HEAVY', [m for m in {HEAVY!r} if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip().endswith("HEAVY []")


def test_the_library_is_imported_without_its_heavy_parts() -> None:
    script = f"import sys, anonym; anonym.Policy; print([m for m in {HEAVIEST!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
