"""Shared fixtures, and the folder of the naive twins on the path."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Long runs are left out unless ANONYM_SOAK is set."""
    if "ANONYM_SOAK" not in os.environ:
        for item in items:
            if item.get_closest_marker("soak"):
                item.add_marker(pytest.mark.skip(reason="a long run: set ANONYM_SOAK=1"))


@pytest.fixture(scope="session")
def bench_data() -> Path:
    """The folder of real data, or a skip that says how to get it."""
    folder = Path(os.environ.get("ANONYM_BENCH_DATA", HERE.parent.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(
            "no benchmark data: set ANONYM_BENCH_DATA to its folder (benchmarks/README.md says where to get it)"
        )
    return folder
