"""Private training (DP-SGD, Abadi et al. 2016) around a plain PyTorch loop; what is protected is the policy's unit.

with anonym.dp.private_training(model, optimizer, dataset, policy, units=owners,
                                expected_batch_size=64, epochs=3, ledger="spent.jsonl") as run:
    for features, target in run:
        optimizer.zero_grad()
        run.backward(loss(model(features), target))      # one loss for each example
        optimizer.step()
evidence = run.statement()
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MethodType, TracebackType
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from anonym.dp import plan as plans
from anonym.dp import refusals
from anonym.dp.batches import Batches, fetch
from anonym.dp.checkpoint import Checkpoint, resumed
from anonym.dp.gradients import Gradients, Owners
from anonym.dp.ledger import Ledger
from anonym.dp.options import HasTraining
from anonym.dp.plan import Plan, Settings
from anonym.dp.randomness import Randomness, Secure, Seeded
from anonym.dp.statement import training_statement
from anonym.dp.units import dropped
from anonym.errors import CallError

LOT = 1 << 40  # the step whose randomness draws which records are used: no run has so many
SMALLEST_GROUP = 10  # units: subgroups below are counted as `other`


def private_training(
    model: nn.Module, optimizer: torch.optim.Optimizer, dataset: Any, policy: HasTraining, **settings: Any
) -> PrivateTraining:
    """A context that trains `model` privately; `model` and `optimizer` stay the objects they are.

    Each step draws every unit with the same probability, takes at most `max_records_per_unit` of its records (chosen
    by lot, once), averages their gradients, clips the average, adds noise to the sum of all and divides it by
    `expected_batch_size`. The budget is in the ledger before the first step. `settings` are the fields of `Settings`;
    `units`, `expected_batch_size` and `steps` or `epochs` are needed.

    Raises CallError for whatever would break the promise (the message says what to do), GuaranteeError where the ε
    cannot be kept.
    """
    asked = Settings(**settings)
    records, own_collate = refusals.loaded(dataset)
    tensors = refusals.model(model, optimizer)
    book = asked.ledger if isinstance(asked.ledger, Ledger) else Ledger(asked.ledger)
    saved = Checkpoint(asked.checkpoint, asked.checkpoint_every) if asked.checkpoint is not None else None
    state = saved.read() if saved else None
    plan = plans.planned(asked, policy, len(records), _before(book, state))
    return PrivateTraining(
        model=model,
        optimizer=optimizer,
        tensors=tensors,
        records=(records, asked.collate or own_collate),
        plan=plan,
        ledger=book,
        settings=asked,
        outside=plans.outside(plan, policy, book, asked.outside),
        checkpoint=saved,
        state=state,
    )


def _before(ledger: Ledger, state: Mapping[str, Any] | None) -> Ledger:
    """The ledger as it was when the run began: a run that goes on solves for the noise it began with."""
    if state is None:
        return ledger
    earlier = Ledger(None)
    mine = next((entry.number for entry in ledger.entries if entry.facts.get("run") == state["run"]), None)
    if mine is None:
        raise CallError("the ledger knows nothing of the checkpoint's run: pass the ledger it was begun with")
    earlier.entries = ledger.entries[: mine - 1]
    return earlier


class PrivateTraining:
    """A run. Iterate over it for micro-batches; `backward` and the optimizer's `step` for each, in this order.

    `step` is the number of noisy steps taken. Steps whose sample is empty are taken, noise and all, without a batch.
    """

    def __init__(
        self,
        *,
        model: nn.Module,
        optimizer: torch.optim.Optimizer,
        tensors: Mapping[str, nn.Parameter],
        records: tuple[Any, Callable[[list[Any]], Any] | None],
        plan: Plan,
        ledger: Ledger,
        settings: Settings,
        outside: Sequence[str],
        checkpoint: Checkpoint | None,
        state: Mapping[str, Any] | None,
    ) -> None:
        self.model, self.optimizer, self.plan = model, optimizer, plan
        self.ledger, self._head, self._policy_change = ledger, ledger.head, settings.policy_change
        self.randomness: Randomness = Secure() if settings.seed is None else Seeded(settings.seed)
        self.kind, self.outside = "tuning" if settings.tuning else "training", list(outside)
        self.step = 0
        self._tensors, self._clipping, self._also = dict(tensors), settings.clipping, dict(settings.also)
        self._dataset, self._collate = records
        self._checkpoint, self._state = checkpoint, state
        self._run = str(state["run"]) if state else secrets.token_hex(8)
        self._used = _used(plan, self.randomness, state)
        self._batches = Batches(plan, self._used, settings.micro_batch_size)
        self._dropped = dropped(self._used, settings.groups, plan.units, SMALLEST_GROUP)
        self._gradients: Gradients | None = None
        self._owners: Owners | None = None
        self._last = False
        self._pending = False
        self._before: dict[str, torch.Tensor] | None = None

    # the context

    def __enter__(self) -> PrivateTraining:
        facts = {**self.plan.facts(), "seeded": not self.randomness.secure}
        self._gradients = Gradients(self.model, self._tensors, self.plan.bound, self._clipping)
        try:
            self._charge(facts)
        except BaseException:
            self._gradients.close()
            raise
        self._own_step = self.optimizer.__dict__.get("step")
        self._inner = self.optimizer.step
        self.optimizer.step = MethodType(_stepping(self), self.optimizer)
        return self

    def _charge(self, facts: Mapping[str, Any]) -> None:
        """The whole run is in the ledger before its first step; one that goes on is in it already."""
        if self._head != self.ledger.head:
            raise CallError("the ledger was written to since this run was planned; plan it again")
        if self._state is not None:
            self._resume(self._state, facts)
            return
        head = self.ledger.fix(self.plan.options, self.plan.unit, self._policy_change, after=self._head)
        self.ledger.append(self.kind, {"run": self._run, **facts}, after=head)
        if self._checkpoint is not None:
            self._checkpoint.write(self._snapshot())

    def __exit__(
        self, kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        if self._own_step is None:
            self.optimizer.__dict__.pop("step", None)
        else:
            self.optimizer.step = self._own_step
        self._open().close()
        self._gradients, self._owners = None, None
        resumable = kind is not None and self._checkpoint is not None
        if not resumable:
            self.ledger.append("closed", {"run": self._run, "steps": self.step})
            if self._checkpoint is not None:
                self._checkpoint.remove()

    # the loop

    def __iter__(self) -> Iterator[Any]:
        """Micro-batches of all steps that are left."""
        return self.batches(self.plan.steps - self.step)

    def batches(self, steps: int) -> Iterator[Any]:
        """Micro-batches of the next `steps` steps, as far as the plan goes: for loops with epochs or evaluations."""
        goal = min(self.step + steps, self.plan.steps)
        while self.step < goal:
            micro = list(self._batches.micro(self._batches.drawn(self.randomness.at(self.step))))
            for place, (rows, owners) in enumerate(micro):
                yield self._begin(rows, owners, last=place == len(micro) - 1)
                if self._owners is not None or self._pending:
                    raise CallError(
                        "a batch was passed over: every batch needs run.backward and then optimizer.step(). To gather "
                        "several batches before a step, raise expected_batch_size; batches are split by themselves"
                    )
            if not micro:
                self._take()

    def samples(self) -> Iterator[list[tuple[npt.NDArray[np.int64], torch.Tensor]]]:
        """The whole sample of each step that is left, for loops that take a step for each: see `gather`."""
        while self.step < self.plan.steps:
            step = self.step
            yield list(self._batches.micro(self._batches.drawn(self.randomness.at(step))))
            if self.step == step:
                raise CallError("a sample was passed over: each needs run.gather and then optimizer.step()")

    def gather(
        self,
        sample: list[tuple[npt.NDArray[np.int64], torch.Tensor]],
        losses: Callable[[Any], torch.Tensor],
    ) -> float | None:
        """The clipped gradients of a whole sample, micro-batch by micro-batch; `losses` gives one loss for each
        example of a batch. Returns their mean, None for an empty sample. `optimizer.step()` follows, empty or not."""
        total = 0.0
        for rows, owners in sample:
            each = losses(self._begin(rows, owners, last=True))
            self.backward(each)
            total += float(each.detach().sum())
        self._pending, self._last = True, True
        count = sum(len(rows) for rows, _ in sample)
        return total / count if count else None

    def _begin(self, rows: npt.NDArray[np.int64], owners: torch.Tensor, *, last: bool) -> Any:
        self._owners, self._last = Owners.of_rows(owners), last
        self._open().begin(self._owners)
        return fetch(self._dataset, rows, self._collate)

    def backward(self, losses: torch.Tensor) -> None:
        """Instead of `losses.backward()`: `losses` has one loss for each example of the batch. Raises CallError for
        losses that were averaged, are NaN, or whose gradients cannot be told apart by example."""
        if self._owners is None:
            raise CallError(
                "backward was called without a batch, or twice for one: gradients are not to be gathered by hand. "
                "Raise expected_batch_size instead; large batches are split by themselves"
            )
        self._open().add(refusals.losses(losses, len(self._owners.of)), self._owners)
        self._owners, self._pending = None, True

    def _stepped(self) -> Any:
        """The optimizer's step, for the last micro-batch of a sample; nothing for the others."""
        if not self._pending:
            raise CallError(
                "optimizer.step() without run.backward(losses): the gradients it would use were not clipped. Call "
                "run.backward in place of loss.backward()"
            )
        self._pending = False
        return self._take() if self._last else None

    def _take(self) -> Any:
        """One noisy step."""
        gradients = self._open()
        if self.step == 0:
            self._before = {name: tensor.detach().clone() for name, tensor in self._tensors.items()}
        source, scale = self.randomness.at(self.step), self.plan.noise_multiplier * self.plan.bound
        for name, tensor in self._tensors.items():
            total = gradients.sums.get(name, torch.zeros_like(tensor))
            tensor.grad = source.noisy(total, scale).view_as(tensor) / self.plan.expected
        gradients.sums.clear()
        result = self._inner()
        self.step += 1
        self._moved()
        self._keep()
        return result

    def _moved(self) -> None:
        """After the first step with a learning rate, every trainable tensor must have changed: noise alone does it."""
        if self._before is None:
            return
        for group in self.optimizer.param_groups:
            for tensor in group["params"]:
                name = next((name for name, one in self._tensors.items() if one is tensor), None)
                before = self._before.pop(name, None) if name and group.get("lr", 1) else None
                if before is not None and torch.equal(before, tensor.detach()):
                    raise CallError(
                        f"{name} did not move in its first step: its update does not reach the weights (copies in "
                        "another precision, a wrapped optimizer, a learning rate too small to change a digit). "
                        "Nothing would be learnt"
                    )
        self._before = self._before or None

    def _keep(self) -> None:
        if self._checkpoint is None:
            return
        self._checkpoint.reached(self.step)
        if self.step % self._checkpoint.every == 0 or self.step == self.plan.steps:
            self._checkpoint.write(self._snapshot())

    def _snapshot(self) -> dict[str, Any]:
        return {
            "run": self._run,
            "step": self.step,
            "used": torch.from_numpy(self._used),
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "also": {name: one.state_dict() for name, one in self._also.items()},
        }

    def _resume(self, state: Mapping[str, Any], facts: Mapping[str, Any]) -> None:
        assert self._checkpoint is not None
        resumed(state, facts, self.ledger, self._checkpoint.lost(int(state["step"])))
        self.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
        for name, one in self._also.items():
            one.load_state_dict(state["also"][name])
        self.step = int(state["step"])

    def _open(self) -> Gradients:
        if self._gradients is None:
            raise CallError("the run is not open: use it as `with private_training(...) as run`")
        return self._gradients

    # what it says

    @property
    def clipping(self) -> str:
        """`ghost` or `hooks`."""
        return self._open().mode

    def statement(self) -> dict[str, Any]:
        """The run and its ledger as the evidence of a release holds them (`training`)."""
        return training_statement(
            self.ledger, self._run, outside=self.outside, rows=_rows(self._used), groups=self._dropped
        )


def _stepping(run: PrivateTraining) -> Callable[..., Any]:
    def step(_optimizer: torch.optim.Optimizer, closure: Any = None) -> Any:
        if closure is not None:
            raise CallError("closures are refused: an optimizer that evaluates the loss itself cannot be clipped")
        return run._stepped()

    return step


def _used(plan: Plan, randomness: Randomness, state: Mapping[str, Any] | None) -> npt.NDArray[np.bool_]:
    """Which records are trained on; a run that goes on keeps those it began with."""
    if state is not None:
        kept: npt.NDArray[np.bool_] = state["used"].numpy()
        if len(kept) != len(plan.units.codes):
            raise CallError("the checkpoint is of a dataset with another number of records")
        return kept
    return plan.units.bounded(plan.records, randomness.at(LOT))


def _rows(used: npt.NDArray[np.bool_]) -> dict[str, int]:
    return {"used": int(used.sum()), "dropped": int((~used).sum())}
