"""The tabular worked example: a small MLP on an invented table, attacked with and without private training.

A table of 20 numbers and a noisy yes or no, with a group of 8 % for whom the rule is another one. A fair coin for each
record says whether it is trained on or a held-out canary; the references' records are drawn by coins of their own.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.utils.data import TensorDataset

from anonym.dp.audits.membership import lira, loss_threshold, measured, rmia
from anonym.dp.audits.one_run import one_run
from anonym.dp.ledger import Ledger
from anonym.dp.options import TrainingOptions
from anonym.dp.training import private_training

FEATURES = 20
FRESH = 4000  # records for accuracy, never trained on by any model


@dataclass(frozen=True)
class Setting:
    """Sizes of the example; `epsilon` is what the private twin may spend."""

    records: int = 4000
    references: int = 4
    epsilon: float = 4.0
    delta: float = 1e-5
    epochs: int = 40
    private_epochs: float = 6.0
    flipped: float = 0.25
    noise: float | None = None


@dataclass(frozen=True)
class Table:
    x: torch.Tensor
    y: torch.Tensor
    small: torch.Tensor  # bool: the small group


def table(rows: int, seed: int, flipped: float) -> Table:
    """Records whose label follows a rule of their features, and is flipped with probability `flipped`."""
    rule = np.random.default_rng(7).normal(size=(2, FEATURES))
    draw = np.random.default_rng(seed)
    x, small = draw.normal(size=(rows, FEATURES)), draw.random(rows) < 0.08
    x[small, 0] += 2.0
    clean = np.where(small, x @ rule[1], x @ rule[0]) > 0
    y = clean ^ (draw.random(rows) < flipped)
    return Table(torch.tensor(x, dtype=torch.float32), torch.tensor(y.astype(np.int64)), torch.tensor(small))


def network(seed: int) -> nn.Module:
    torch.manual_seed(seed)
    return nn.Sequential(nn.Linear(FEATURES, 128), nn.ReLU(), nn.Linear(128, 64), nn.ReLU(), nn.Linear(64, 2))


def losses(model: nn.Module, data: Table) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Cross-entropy of each record, (records,)."""
    with torch.no_grad():
        each = nn.functional.cross_entropy(model(data.x), data.y, reduction="none")
    found: np.ndarray[Any, np.dtype[np.float64]] = each.numpy().astype(np.float64)
    return found


def openly(data: Table, rows: torch.Tensor, seed: int, setting: Setting) -> tuple[nn.Module, None]:
    """Trained without privacy."""
    model, draw = network(seed), torch.Generator().manual_seed(seed)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    for _ in range(setting.epochs):
        for batch in rows[torch.randperm(len(rows), generator=draw)].split(100):
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(data.x[batch]), data.y[batch]).backward()
            optimizer.step()
    return model, None


def privately(data: Table, rows: torch.Tensor, seed: int, setting: Setting) -> tuple[nn.Module, dict[str, Any]]:
    """Trained with DP-SGD, every record a person of its own; with its statement."""
    model = network(seed)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    options = TrainingOptions("internal", {"internal": setting.epsilon}, setting.delta, "pld", 1)
    policy = SimpleNamespace(unit="person", training=options)
    with private_training(
        model,
        optimizer,
        TensorDataset(data.x[rows], data.y[rows]),
        policy,
        units=range(len(rows)),
        expected_batch_size=min(200, len(rows) // 4),
        epochs=setting.private_epochs,
        noise_multiplier=setting.noise,
        micro_batch_size=1000,
        ledger=Ledger(None),
        seed=seed,
    ) as run:
        for x, y in run:
            optimizer.zero_grad()
            run.backward(nn.functional.cross_entropy(model(x), y, reduction="none"))
            optimizer.step()
    return model, run.statement()


Training = Callable[[Table, torch.Tensor, int, Setting], tuple[nn.Module, dict[str, Any] | None]]


def attacked(train: Training, seed: int, setting: Setting) -> dict[str, Any]:
    """One target model and its references: every attack on it, a one-run bound, and what the model is good for."""
    started = time.process_time()
    data = table(setting.records, seed, setting.flipped)
    draw = np.random.default_rng([seed, 1])
    coins = draw.random((setting.references + 1, setting.records)) < 0.5  # independent, as the one-run bound assumes
    models = [train(data, torch.from_numpy(np.flatnonzero(held)), seed + place, setting)
              for place, held in enumerate(coins)]  # fmt: skip
    (model, statement), member = models[0], coins[0]
    mine, others = losses(model, data), np.stack([losses(other, data) for other, _ in models[1:]])
    scores = {
        "loss threshold": loss_threshold(mine),
        f"RMIA, {setting.references} references": rmia(mine, others),
        f"LiRA, {setting.references} references": lira(mine, others, coins[1:]),
    }
    return {
        "membership": [measured(name, score, member).as_dict() for name, score in scores.items()],
        "one_run": one_run(rmia(mine, others), member, setting.delta).as_dict(),
        "accuracy": accuracy(model, table(FRESH, seed + 10_000, setting.flipped)),
        "training": statement,
        "cpu_s": time.process_time() - started,
    }


def accuracy(model: nn.Module, data: Table) -> dict[str, float]:
    """Overall, in the small group, and of always saying the more frequent label."""
    with torch.no_grad():
        right = (model(data.x).argmax(1) == data.y).float()
    share = float(data.y.float().mean())
    return {
        "overall": float(right.mean()),
        "small_group": float(right[data.small].mean()),
        "majority": max(share, 1 - share),
        "records": len(data.y),
        "small_group_records": int(data.small.sum()),
    }
