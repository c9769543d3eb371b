"""Poisson samples of units or records, packed into micro-batches that never split a unit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch.utils.data import TensorDataset, default_collate

from anonym.dp.plan import Plan
from anonym.dp.randomness import Randomness

Rows = npt.NDArray[np.int64]


class Batches:
    """Draws the records of a step: `rows` from `starts[place]` on are of the unit (or record) that may be drawn there,
    `sizes[place]` of them."""

    def __init__(self, plan: Plan, used: npt.NDArray[np.bool_], micro_batch_size: int) -> None:
        self.plan, self.size = plan, micro_batch_size
        self.rows = np.flatnonzero(used)
        if plan.alone:
            self.sizes = np.ones(len(self.rows), dtype=np.int64)
        else:
            codes = plan.units.codes[self.rows]
            self.rows = self.rows[np.argsort(codes, kind="stable")]
            self.sizes = np.bincount(codes, minlength=plan.units.count)
        self.starts = np.cumsum(self.sizes) - self.sizes

    def drawn(self, randomness: Randomness) -> Rows:
        """Who is in one Poisson sample, in order. Whoever is beyond `sizes` has no records."""
        chosen = randomness.chosen(self.plan.frame, self.plan.sample_rate)
        return chosen[: np.searchsorted(chosen, len(self.sizes))]

    def micro(self, drawn: Rows) -> Iterator[tuple[Rows, torch.Tensor]]:
        """Micro-batches of whole units, of at most `size` rows where that is possible: rows, and a number for each row
        that says whose it is."""
        ends = np.cumsum(self.sizes[drawn])
        first = 0
        while first < len(drawn):
            before = ends[first - 1] if first else 0
            last = max(first + 1, int(np.searchsorted(ends, before + self.size, side="right")))
            yield self._packed(drawn[first:last])
            first = last

    def _packed(self, units: Rows) -> tuple[Rows, torch.Tensor]:
        sizes = self.sizes[units]
        owners = np.repeat(np.arange(len(units)), sizes)
        places = np.arange(len(owners)) + np.repeat(self.starts[units] - (np.cumsum(sizes) - sizes), sizes)
        return self.rows[places], torch.from_numpy(owners)


def fetch(dataset: Any, rows: Rows, collate: Callable[[list[Any]], Any] | None) -> Any:
    """The records at `rows` as the batch that a DataLoader would give."""
    if isinstance(dataset, TensorDataset) and collate in (None, default_collate):
        places = torch.from_numpy(rows)
        return [tensor[places] for tensor in dataset.tensors]
    many = getattr(dataset, "__getitems__", None)
    records = many(rows.tolist()) if callable(many) else [dataset[int(row)] for row in rows]
    return (collate or default_collate)(records)
