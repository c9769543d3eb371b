"""Scrubbing in several processes: each has models and rules of its own, and is given batches of distinct texts."""

from __future__ import annotations

import gc
import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from typing import Protocol

import polars as pl

from anonym.text.options import TextOptions
from anonym.text.spans import Span

ROWS, CHARACTERS = 2_048, 500_000
"""Distinct texts of one task: enough for a model's batches, little enough to keep all processes busy."""

TASKS = 2
"""Tasks of each process at least: with fewer, one waits while another reads the last."""

WORTH = 200_000
"""Characters from which processes are worth starting: loading models takes each a second or two."""

_THREADS = ("POLARS_MAX_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
Result = tuple[str | None, list[Span]]


class Batches(Protocol):
    """What a process keeps: it scrubs one batch of distinct texts after the other."""

    def batch(self, batch: pl.DataFrame) -> list[Result]: ...


Make = Callable[[TextOptions, bytes], Batches]
_scrubber: Batches | None = None


def _begin(make: Make, options: TextOptions, key: bytes) -> None:
    global _scrubber
    _scrubber = make(options, key)
    gc.freeze()  # models and rules stay: a full collection over them took 0.2 s and more


def _work(batch: pl.DataFrame) -> list[Result]:
    assert _scrubber is not None
    return _scrubber.batch(batch)


class Workers:
    """Processes that scrub batches, one thread each. They end with the interpreter, or with `close`.

    `make` must be found by its name in a new process: a class or a function of a module.
    """

    def __init__(self, make: Make, options: TextOptions, key: bytes) -> None:
        before = {name: os.environ.get(name) for name in _THREADS}
        os.environ.update(dict.fromkeys(_THREADS, "1"))
        try:
            # Spawned, not forked: Polars' threads do not survive a fork.
            self._pool = ProcessPoolExecutor(
                options.processes,
                multiprocessing.get_context("spawn"),
                initializer=_begin,
                initargs=(make, replace(options, processes=1), key),
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
