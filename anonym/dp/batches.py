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
    """Draws the records of a step: `rows_of` each unit (or record) that may be drawn."""

    def __init__(self, plan: Plan, used: npt.NDArray[np.bool_], micro_batch_size: int) -> None:
        self.plan, self.size = plan, micro_batch_size
        rows = np.flatnonzero(used)
        if plan.alone:
            self.owned = [rows[place : place + 1] for place in range(len(rows))]
        else:
            codes = plan.units.codes[rows]
            order = np.argsort(codes, kind="stable")
            cuts = np.searchsorted(codes[order], np.arange(1, plan.units.count))
            self.owned = np.split(rows[order], cuts)

    def drawn(self, randomness: Randomness) -> list[Rows]:
        """The records of each unit in one Poisson sample, units in order. Those beyond `owned` have no records."""
        chosen = randomness.chosen(self.plan.frame, self.plan.sample_rate)
        return [self.owned[place] for place in chosen if place < len(self.owned)]

    def micro(self, drawn: list[Rows]) -> Iterator[tuple[Rows, torch.Tensor]]:
        """Micro-batches: rows, and a number for each row that says whose it is."""
        pack: list[Rows] = []
        held = 0
        for rows in drawn:
            if pack and held + len(rows) > self.size:
                yield _packed(pack)
                pack, held = [], 0
            pack.append(rows)
            held += len(rows)
        if pack:
            yield _packed(pack)


def _packed(pack: list[Rows]) -> tuple[Rows, torch.Tensor]:
    owners = np.repeat(np.arange(len(pack)), [len(rows) for rows in pack])
    return np.concatenate(pack), torch.from_numpy(owners)


def fetch(dataset: Any, rows: Rows, collate: Callable[[list[Any]], Any] | None) -> Any:
    """The records at `rows` as the batch that a DataLoader would give."""
    if isinstance(dataset, TensorDataset) and collate in (None, default_collate):
        places = torch.from_numpy(rows)
        return [tensor[places] for tensor in dataset.tensors]
    many = getattr(dataset, "__getitems__", None)
    records = many(rows.tolist()) if callable(many) else [dataset[int(row)] for row in rows]
    return (collate or default_collate)(records)
