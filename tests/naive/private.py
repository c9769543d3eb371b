"""What private training must hold, as `assert_…`: used by its tests, and by the test that breaks it on purpose."""

from __future__ import annotations

import contextlib
import itertools
import math
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.utils.data import TensorDataset

from anonym.dp import Ledger, TrainingOptions, private_training
from anonym.dp.gradients import Clipping, Gradients, Owners
from anonym.errors import CallError

ROWS, FEATURES = 400, 6


def policy(unit: str | None = "customer", most: int | None = 4, limit: float = 1e4) -> Any:
    options = TrainingOptions("internal", {"internal": limit}, 1e-5, "rdp", most)
    return SimpleNamespace(unit=unit, training=options)


def table(rows: int = ROWS, seed: int = 0) -> tuple[TensorDataset, list[int]]:
    """Rows of two classes; a unit has 4 of them."""
    draw = torch.Generator().manual_seed(seed)
    features = torch.randn(rows, FEATURES, generator=draw)
    return TensorDataset(features, (features[:, 0] > 0).long()), [row // 4 for row in range(rows)]


def network(seed: int = 0) -> nn.Module:
    torch.manual_seed(seed)
    return nn.Sequential(nn.Linear(FEATURES, 8), nn.LayerNorm(8), nn.ReLU(), nn.Linear(8, 2))


def each_loss(model: nn.Module, batch: Any) -> torch.Tensor:
    return nn.functional.cross_entropy(model(batch[0]), batch[1], reduction="none")


def train(
    model: nn.Module | None = None,
    *,
    data: tuple[Any, Any] | None = None,
    optimizer: torch.optim.Optimizer | None = None,
    declared: Any = None,
    loss: Callable[[nn.Module, Any], torch.Tensor] = each_loss,
    each_step: Callable[[Any], None] = lambda run: None,
    **settings: Any,
) -> Any:
    """A short run with a plain loop; returns it."""
    model = model or network()
    dataset, units = data or table()
    optimizer = optimizer or torch.optim.SGD(model.parameters(), lr=0.1)
    asked = {"expected_batch_size": 20, "steps": 3, "noise_multiplier": 1.0, "seed": 1, "units": units, **settings}
    with private_training(model, optimizer, dataset, declared or policy(), **asked) as run:
        for batch in run:
            optimizer.zero_grad()
            run.backward(loss(model, batch))
            optimizer.step()
            each_step(run)
    return run


def clipped(model: nn.Module, batch: Any, codes: list[int], bound: float, clipping: Clipping = "auto") -> torch.Tensor:
    """The clipped sum over one batch, as one vector."""
    tensors = {name: tensor for name, tensor in model.named_parameters() if tensor.requires_grad}
    gradients = Gradients(model, tensors, bound, clipping)
    owners = Owners.of_rows(torch.tensor(codes))
    gradients.begin(owners)
    gradients.add(each_loss(model, batch), owners)
    total = torch.cat([gradients.sums[name].flatten() for name in tensors])
    gradients.close()
    return total


def assert_removal_moves_at_most_the_bound(draws: int = 200, clipping: Clipping = "auto") -> None:
    """Without one user the clipped sum moves by at most C (1 + 1e-5), whatever C, the model and the user's rows."""
    draw = np.random.default_rng(5)
    for trial in range(draws):
        model, bound = network(trial), float(10 ** draw.uniform(-2, 1))
        codes = np.sort(draw.integers(0, 6, 25))
        batch = (torch.randn(25, FEATURES) * 30, torch.from_numpy(draw.integers(0, 2, 25)))
        gone = codes[draw.integers(25)]
        left = torch.from_numpy(codes != gone)
        moved = clipped(model, batch, codes.tolist(), bound, clipping) - clipped(
            model, (batch[0][left], batch[1][left]), codes[codes != gone].tolist(), bound, clipping
        )
        assert float(moved.norm()) <= bound * (1 + 1e-5)


def assert_one_user_with_25_records_moves_a_step_by_at_most_the_bound() -> None:
    """In whole runs, every unit sampled and next to no noise: the mean gradient moves by C over the batch."""
    data, _ = table(100)
    owners = [0] * 25 + list(range(1, 76))
    steps = []
    for rows in (slice(0, 100), slice(25, 100)):
        held = TensorDataset(*(tensor[rows] * 1 for tensor in data.tensors))
        units, model = owners[rows], network()
        before = torch.cat([tensor.detach().flatten().clone() for tensor in model.parameters()])
        train(
            model,
            data=(held, units),
            optimizer=torch.optim.SGD(model.parameters(), lr=1.0),
            expected_batch_size=len(set(units)),
            steps=1,
            noise_multiplier=1e-3,
            max_grad_norm=0.01,
            max_records_per_unit=25,
            declared=policy(limit=1e12),
        )
        after = torch.cat([tensor.detach().flatten() for tensor in model.parameters()])
        steps.append((after - before) * len(set(units)))
    noise = 2 * 1e-3 * 0.01 * math.sqrt(len(steps[0]))
    assert float((steps[0] - steps[1]).norm()) <= 0.01 * (1 + 1e-5) + noise


def _noise_of_a_run(**settings: Any) -> np.ndarray:
    """Gradients where every loss is constant in the weights: what is left is noise, brought back to scale 1."""
    seen: list[np.ndarray] = []

    def keep(run: Any) -> None:
        seen.extend(one.grad.numpy().ravel() for one in run.model.parameters())

    def nothing(model: nn.Module, batch: Any) -> torch.Tensor:
        return (model(batch[0]) * 0.0).sum(1)

    run = train(loss=nothing, each_step=keep, steps=40, noise_multiplier=2.0, max_grad_norm=0.5, **settings)
    return np.concatenate(seen) * run.plan.expected / (2.0 * 0.5)


def accepts_scale_one(noise: np.ndarray, scale: float = 1.0) -> bool:
    """Two-sided test of the variance at 1e-6: with 3,000 draws ±7 % pass and ±30 % do not."""
    from scipy.stats import chi2

    total = float((noise / scale) @ (noise / scale))
    return bool(chi2.ppf(5e-7, len(noise)) < total < chi2.isf(5e-7, len(noise)))


def assert_noise_has_its_scale(**settings: Any) -> None:
    noise = _noise_of_a_run(**settings)
    assert len(noise) > 3000
    assert accepts_scale_one(noise)
    assert not accepts_scale_one(noise, 0.7)
    assert not accepts_scale_one(noise, 1.3)


def assert_a_step_is_the_clipped_sum_over_the_expected_batch() -> None:
    """All units in, next to no noise: the gradient is our twin's clipped sum over the number of units expected."""
    model, (data, _) = network(), table(40)
    units = list(range(40))
    known = clipped(model, data.tensors, units, 1.0, "hooks") / 40
    seen: list[torch.Tensor] = []

    def keep(run: Any) -> None:
        seen.append(torch.cat([one.grad.flatten().clone() for one in run.model.parameters()]))

    settings: dict[str, Any] = {"expected_batch_size": 40, "steps": 1, "noise_multiplier": 1e-4}
    train(model, data=(data, units), each_step=keep, declared=policy(limit=1e12), **settings)
    assert float((seen[0] - known).norm()) < 0.01 * float(known.norm())


def assert_samples_are_poisson_at_the_stated_rate(**settings: Any) -> None:
    """Batch sizes over 400 steps: their mean is q N (a rate 30 % off is not), their variance that of a binomial, and
    whether a unit is in a batch says nothing about the next."""
    sizes: list[int] = []
    members: list[set[int]] = []
    data, units = table(400)
    expected, frame, steps = 13.0, 100, 400
    tagged = TensorDataset(*data.tensors, torch.tensor(units))
    asked = {"expected_batch_size": expected, "steps": steps, "seed": 2, **settings}
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with private_training(model, optimizer, tagged, policy(), units=units, noise_multiplier=1.0, **asked) as run:
        assert run.plan.frame == frame
        for step in range(steps):
            drawn = run._batches.drawn(run.randomness.at(step))
            members.append(set(drawn.tolist()))
            sizes.append(len(drawn))
        stated = run.plan.facts()["sample_rate"]
    assert stated == expected / frame
    error = math.sqrt(frame * stated * (1 - stated) / steps)
    mean, variance = float(np.mean(sizes)), float(np.var(sizes))
    assert abs(mean - expected) < 5 * error
    assert all(abs(mean - expected * wrong) > 5 * error for wrong in (0.7, 1.3))
    assert 0.6 < variance / (frame * stated * (1 - stated)) < 1.5
    again = np.mean([len(one & other) for one, other in itertools.pairwise(members)])
    assert again > 0.6 * expected * stated


def assert_an_epsilon_chosen_afterwards_is_refused() -> None:
    ledger = Ledger(None)
    train(ledger=ledger, declared=policy(limit=50))
    went_through = False
    with contextlib.suppress(CallError):
        train(ledger=ledger, declared=policy(limit=100))
        went_through = True
    assert not went_through
