"""One thread: the machine's cores are shared, and small tensors gain nothing from more."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch = pytest.importorskip("torch", reason="pip install 'anonym[dp]'")
    torch.set_num_threads(1)
