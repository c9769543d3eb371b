"""Private training: CPU time of a step beside non-private training and bare Opacus, and of secure noise.

    python benchmarks/dp.py [--steps 30]

One thread, one process, whole loops: sampling, forward, backward, noise and optimizer. The ways to train take turns, a
round each, and the median round counts, so that a busy machine slows all of them. Opacus trains as its own
`make_private(wrap_model=False)` sets it up; ours draws seeded noise there, as Opacus does, and the operating system's
in the row `secure`. Records are their own units, except in the rows `4 records a unit`.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
import warnings
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

import torch
from opacus import PrivacyEngine
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from anonym.dp import TrainingOptions, private_training
from anonym.dp.audits.language import Characters, each_loss
from anonym.dp.gradients import Clipping
from anonym.dp.randomness import Secure

ROUNDS = 5
Loop = Callable[[], Iterator[None]]
"""A training loop that yields after each step."""


def policy(most: int) -> Any:
    options = TrainingOptions("internal", {"internal": 1e6}, 1e-5, "rdp", most)
    return SimpleNamespace(unit="person", training=options)


def mlp() -> nn.Module:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 128), nn.ReLU(), nn.Linear(128, 2))


def rows(count: int) -> TensorDataset:
    draw = torch.Generator().manual_seed(0)
    return TensorDataset(torch.randn(count, 64, generator=draw), torch.randint(0, 2, (count,), generator=draw))


def transformer() -> nn.Module:
    torch.manual_seed(0)
    return Characters(64)


def lines(count: int) -> TensorDataset:
    return TensorDataset(torch.randint(1, 90, (count, 48), generator=torch.Generator().manual_seed(0)))


def row_loss(model: nn.Module, batch: Any) -> torch.Tensor:
    return nn.functional.cross_entropy(model(batch[0]), batch[1], reduction="none")


def line_loss(model: nn.Module, batch: Any) -> torch.Tensor:
    return each_loss(model, batch[0])


def openly(model: nn.Module, data: TensorDataset, size: int, loss: Any) -> Iterator[None]:
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    while True:
        for places in torch.randperm(len(data)).split(size):
            optimizer.zero_grad()
            loss(model, [tensor[places] for tensor in data.tensors]).mean().backward()
            optimizer.step()
            yield


class Each(nn.Module):
    """Opacus' ghost mode wants a criterion that takes an output and a target."""

    def __init__(self, loss: Any) -> None:
        super().__init__()
        self.loss, self.reduction = loss, "mean"

    def forward(self, output: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        each = self.loss(lambda _: output, target)
        return each if self.reduction == "none" else each.mean()


def by_opacus(model: nn.Module, data: TensorDataset, size: int, loss: Any, mode: str) -> Iterator[None]:
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    parts = PrivacyEngine().make_private(
        module=model,
        optimizer=optimizer,
        data_loader=DataLoader(data, batch_size=size),
        criterion=Each(loss),
        noise_multiplier=1.0,
        max_grad_norm=1.0,
        grad_sample_mode=mode,
        wrap_model=False,
    )
    optimizer, loader = parts[1], parts[-1]
    while True:
        for batch in loader:
            optimizer.zero_grad()
            if mode == "ghost":
                inputs = batch[0][:, :-1].contiguous() if len(batch) == 1 else batch[0]
                parts[2](model(inputs), batch).backward()
            else:
                loss(model, batch).mean().backward()
            optimizer.step()
            yield


def by_us(
    model: nn.Module, data: TensorDataset, size: int, loss: Any, mode: Clipping, seed: int | None = 0, most: int = 1
) -> Iterator[None]:
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    units = [row // most for row in range(len(data))]
    with private_training(
        model,
        optimizer,
        data,
        policy(most),
        units=units,
        expected_batch_size=size / most,
        steps=100_000,
        noise_multiplier=1.0,
        micro_batch_size=2 * size,
        clipping=mode,
        seed=seed,
    ) as run:
        for batch in run:
            optimizer.zero_grad()
            run.backward(loss(model, batch))
            optimizer.step()
            yield


def ways(model: Callable[[], nn.Module], data: TensorDataset, size: int, loss: Any) -> dict[str, Iterator[None]]:
    return {
        "non-private": openly(model(), data, size, loss),
        "Opacus, hooks": by_opacus(model(), data, size, loss, "hooks"),
        "ours, hooks": by_us(model(), data, size, loss, "hooks"),
        "Opacus, ghost": by_opacus(model(), data, size, loss, "ghost"),
        "ours, ghost": by_us(model(), data, size, loss, "ghost"),
        "ours, ghost, secure": by_us(model(), data, size, loss, "ghost", None),
        "ours, ghost, 4 records a unit": by_us(model(), data, size, loss, "ghost", 0, 4),
    }


def measured(loops: dict[str, Iterator[None]], steps: int) -> dict[str, float]:
    """CPU seconds of a step: the median of rounds in which the loops take turns."""
    for loop in loops.values():
        for _ in range(2):
            next(loop)
    found: dict[str, list[float]] = {name: [] for name in loops}
    for _ in range(ROUNDS):
        for name, loop in loops.items():
            started = time.process_time()
            for _ in range(steps):
                next(loop)
            found[name].append((time.process_time() - started) / steps)
    return {name: statistics.median(times) for name, times in found.items()}


def printed(title: str, found: dict[str, float]) -> None:
    base = found["non-private"]
    print(f"\n{title}\n\n| way | ms a step | × non-private | × Opacus |\n|---|---|---|---|")
    for name, seconds in found.items():
        peer = found.get(name.split(", secure")[0].split(", 4 ")[0].replace("ours", "Opacus"))
        beside = f"{seconds / peer:.2f}" if peer and name.startswith("ours") else ""
        print(f"| {name} | {seconds * 1e3:.2f} | {seconds / base:.2f} | {beside} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=30)
    steps = parser.parse_args().steps
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    printed("MLP 64-256-128-2, batch 512", measured(ways(mlp, rows(5120), 512, row_loss), steps))
    found = measured(ways(transformer, lines(640), 64, line_loss), max(steps // 10, 1))
    printed("Transformer, width 64, 48 characters, batch 64", found)
    source, total = Secure(), torch.zeros(1_000_000)
    taken = statistics.median(noise_seconds(source, total) for _ in range(ROUNDS))
    print(f"\nSecure noise: {taken:.3f} s for a million parameters")


def noise_seconds(source: Secure, total: torch.Tensor) -> float:
    started = time.process_time()
    source.noisy(total, 1.0)
    return time.process_time() - started


if __name__ == "__main__":
    main()
