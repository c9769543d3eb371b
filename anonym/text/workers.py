"""Scrubbing in several processes: each has models and rules of its own, and is given batches of distinct texts."""

from __future__ import annotations

import gc
import multiprocessing
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING

import polars as pl

from anonym.text.options import TextOptions
from anonym.text.spans import Span

if TYPE_CHECKING:
    from anonym.text.scrub import Scrubber

ROWS, CHARACTERS = 2_048, 500_000
"""Distinct texts of one task: enough for a model's batches, little enough to keep all processes busy."""

TASKS = 2
"""Tasks of each process at least: with fewer, one waits while another reads the last."""

WORTH = 200_000
"""Characters from which processes are worth starting: loading models takes each a second or two."""

_THREADS = ("POLARS_MAX_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
_scrubber: Scrubber | None = None

Result = tuple[str | None, list[Span]]


def _begin(options: TextOptions, key: bytes) -> None:
    global _scrubber
    from anonym.text.scrub import Scrubber

    _scrubber = Scrubber(options, key)
    gc.freeze()  # models and rules stay: a full collection over them took 0.2 s and more


def _work(batch: pl.DataFrame) -> list[Result]:
    assert _scrubber is not None
    return _scrubber.batch(batch)


class Workers:
    """Processes that scrub batches, one thread each. They end with the interpreter, or with `close`."""

    def __init__(self, options: TextOptions, key: bytes) -> None:
        before = {name: os.environ.get(name) for name in _THREADS}
        os.environ.update(dict.fromkeys(_THREADS, "1"))
        try:
            # Spawned, not forked: Polars' threads do not survive a fork.
            self._pool = ProcessPoolExecutor(
                options.processes,
                multiprocessing.get_context("spawn"),
                initializer=_begin,
                initargs=(replace(options, processes=1), key),
            )
            list(self._pool.map(_ready, range(options.processes)))
        finally:
            for name, value in before.items():
                if value is None:
                    del os.environ[name]
                else:
                    os.environ[name] = value

    def scrub(self, batches: Sequence[pl.DataFrame]) -> Iterator[list[Result]]:
        """The results of each batch, in order."""
        return self._pool.map(_work, batches)

    def close(self) -> None:
        """End the processes."""
        self._pool.shutdown()


def _ready(_number: int) -> bool:
    return _scrubber is not None
