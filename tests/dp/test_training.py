"""Private training: sensitivity, noise, sampling, plain loops, refusals, crash and resume."""

from __future__ import annotations

import copy
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch", reason="pip install 'anonym[dp]'")
pytest.importorskip("opacus", reason="pip install 'anonym[dp]'")

import torch
from naive import private
from naive.dp import clipped_sum
from torch import nn
from torch.utils.data import (
    DataLoader,
    Dataset,
    IterableDataset,
    TensorDataset,
    WeightedRandomSampler,
    default_collate,
)

from anonym.dp import Ledger, private_training
from anonym.dp.checkpoint import Checkpoint
from anonym.dp.gradients import Clipping, Gradients
from anonym.dp.plan import Plan
from anonym.dp.randomness import BLOCK, Secure, Seeded
from anonym.errors import CallError, GuaranteeError, InputError, OutputError

# what must hold ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("clipping", ["ghost", "hooks"])
def test_removing_a_user_moves_the_clipped_sum_by_at_most_the_bound(clipping: Clipping) -> None:
    private.assert_removal_moves_at_most_the_bound(200 if clipping == "ghost" else 40, clipping)


def test_a_user_with_25_records_moves_a_step_no_further() -> None:
    private.assert_one_user_with_25_records_moves_a_step_by_at_most_the_bound()


@pytest.mark.parametrize("settings", [{"seed": 3}, {"seed": None}], ids=["seeded", "secure"])
def test_noise_has_its_scale_and_not_30_percent_more_or_less(settings: dict[str, Any]) -> None:
    private.assert_noise_has_its_scale(**settings)


@pytest.mark.parametrize("settings", [{"seed": 3}, {"seed": None}], ids=["seeded", "secure"])
def test_samples_are_poisson_at_the_stated_rate(settings: dict[str, Any]) -> None:
    private.assert_samples_are_poisson_at_the_stated_rate(**settings)


def test_a_step_is_the_clipped_sum_over_the_expected_batch() -> None:
    private.assert_a_step_is_the_clipped_sum_over_the_expected_batch()


def test_an_epsilon_chosen_after_accuracy_was_seen_is_refused() -> None:
    private.assert_an_epsilon_chosen_afterwards_is_refused()


MUTATIONS = {
    "clipping off": (
        lambda patch: patch.setattr(Gradients, "_factors", lambda self, lengths: torch.ones_like(lengths)),
        lambda: private.assert_removal_moves_at_most_the_bound(5),
    ),
    "noise a tenth": (
        lambda patch: patch.setattr(
            Seeded, "noisy", lambda self, total, scale: total + 0.1 * scale * torch.randn_like(total)
        ),
        private.assert_noise_has_its_scale,
    ),
    "averaged before the noise": (
        lambda patch: patch.setattr(Plan, "expected", property(lambda self: 1.0)),
        private.assert_a_step_is_the_clipped_sum_over_the_expected_batch,
    ),
    "q from the length of a loader": (
        lambda patch: patch.setattr(
            "anonym.dp.training.plans.planned", _with(lambda plan: {"sample_rate": 1 / -(-plan.frame // 13)})
        ),
        private.assert_samples_are_poisson_at_the_stated_rate,
    ),
    "shuffled batches accounted as Poisson": (
        lambda patch: patch.setattr(Seeded, "chosen", _shuffled),
        private.assert_samples_are_poisson_at_the_stated_rate,
    ),
    "user column ignored": (
        lambda patch: patch.setattr("anonym.dp.plan.encode", _everyone_alone),
        private.assert_one_user_with_25_records_moves_a_step_by_at_most_the_bound,
    ),
    "epsilon changed after accuracy was seen": (
        lambda patch: patch.setattr(Ledger, "fix", lambda self, *args, **kwargs: kwargs.get("after")),
        private.assert_an_epsilon_chosen_afterwards_is_refused,
    ),
}


def _with(change: Any) -> Any:
    from dataclasses import replace

    from anonym.dp.plan import planned

    def wrong(*args: Any) -> Plan:
        plan = planned(*args)
        return replace(plan, **change(plan))

    return wrong


def _shuffled(self: Seeded, count: int, rate: float) -> Any:
    size = round(count * rate)
    passes, place = divmod(self.step, count // size)
    order = np.random.default_rng([self.seed, passes]).permutation(count)
    return np.sort(order[place * size : (place + 1) * size])


def _everyone_alone(units: Any, rows: int) -> Any:
    from anonym.dp.units import Units

    return Units(np.arange(rows), rows)


@pytest.mark.parametrize("name", MUTATIONS)
def test_each_mutation_is_caught(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    mutate, check = MUTATIONS[name]
    mutate(monkeypatch)
    with pytest.raises(AssertionError):
        check()


# gradients -----------------------------------------------------------------------------------------------------------


def _gradients_by_autograd(model: nn.Module, batch: Any, loss: Any) -> np.ndarray:
    tensors = [one for one in model.parameters() if one.requires_grad]
    rows = []
    for row in range(len(batch[0])):
        got = torch.autograd.grad(loss(model, [part[row : row + 1] for part in batch]).sum(), tensors)
        rows.append(torch.cat([part.flatten() for part in got]).numpy())
    return np.stack(rows)


class Embedded(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed, self.norm, self.out = nn.Embedding(11, 6), nn.LayerNorm(6), nn.Linear(6, 11)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        return self.out(self.norm(self.embed(ids)))


class Padded(Embedded):
    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(11, 6, padding_idx=3)


class Twice(nn.Module):
    """One layer that takes part twice."""

    def __init__(self) -> None:
        super().__init__()
        self.inner, self.out = nn.Linear(private.FEATURES, private.FEATURES), nn.Linear(private.FEATURES, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.out(torch.tanh(self.inner(torch.tanh(self.inner(x)))))


class Tied(Embedded):
    def __init__(self) -> None:
        super().__init__()
        self.out.weight = self.embed.weight


class Convolved(Embedded):
    def __init__(self) -> None:
        super().__init__()
        self.out = nn.Identity()
        self.conv = nn.Conv1d(6, 11, 3, padding=1)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        return self.conv(self.norm(self.embed(ids)).transpose(1, 2)).transpose(1, 2)


class Positions(Embedded):
    """Broadcasts position ids over the batch, as GPT-2 does."""

    def __init__(self, flat: bool = False) -> None:
        super().__init__()
        self.place, self.flat = nn.Embedding(9, 6), flat

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        places = torch.arange(ids.shape[1])
        return self.out(self.norm(self.embed(ids) + self.place(places if self.flat else places[None])))


def _transformers_conv() -> nn.Module:
    pytest.importorskip("transformers")
    from transformers.pytorch_utils import Conv1D

    model = Embedded()
    model.out = Conv1D(11, 6)
    nn.init.normal_(model.out.weight)
    return model


def _lora() -> nn.Module:
    peft = pytest.importorskip("peft")
    return peft.get_peft_model(Embedded(), peft.LoraConfig(r=2, target_modules=["out"], init_lora_weights=False))


MODELS = {
    "embedding, layer norm, linear": Embedded,
    "tied": Tied,
    "no bias": lambda: nn.Sequential(nn.Embedding(11, 6), nn.Linear(6, 6, bias=False), nn.Linear(6, 11, bias=False)),
    "conv": Convolved,
    "transformers conv": _transformers_conv,
    "lora": _lora,
    "positions": Positions,
    "flat positions": lambda: Positions(flat=True),
}


def _tokens(rows: int, seed: int = 0) -> list[Any]:
    draw = torch.Generator().manual_seed(seed)
    return [torch.randint(0, 11, (rows, 5), generator=draw), torch.randint(0, 11, (rows, 5), generator=draw)]


def _token_loss(model: nn.Module, batch: Any) -> torch.Tensor:
    each = nn.functional.cross_entropy(model(batch[0]).transpose(1, 2), batch[1], reduction="none")
    return each.mean(1)


@pytest.mark.parametrize("alone", [True, False], ids=["one record each", "several records"])
@pytest.mark.parametrize("clipping", ["auto", "hooks"])
@pytest.mark.parametrize("kind", MODELS)
def test_gradients_are_those_of_autograd(
    kind: str, clipping: Clipping, alone: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    torch.manual_seed(3)
    model, batch = MODELS[kind](), _tokens(12)
    codes = list(range(12)) if alone else [0, 0, 0, 1, 2, 2, 2, 2, 3, 4, 4, 5]
    known = _gradients_by_autograd(model, batch, _token_loss)
    monkeypatch.setattr(private, "each_loss", _token_loss)
    for bound in (1e6, 0.3):
        found = private.clipped(model, batch, codes, bound, clipping).numpy()
        expected = clipped_sum(known, np.array(codes), bound)
        assert np.linalg.norm(found - expected) <= 1e-5 * np.linalg.norm(expected)


def test_ghost_clipping_where_every_layer_allows_it() -> None:
    for kind, mode in ((Embedded, "ghost"), (Tied, "hooks"), (Convolved, "ghost")):
        model = kind()
        assert Gradients(model, dict(model.named_parameters()), 1.0).mode == mode
    model = Tied()
    with pytest.raises(CallError, match="shared by several layers"):
        Gradients(model, dict(model.named_parameters()), 1.0, "ghost")


def _text(rows: int = 60) -> tuple[TensorDataset, list[int]]:
    return TensorDataset(*_tokens(rows)), [row // 3 for row in range(rows)]


def _weights(model: nn.Module) -> torch.Tensor:
    return torch.cat([one.detach().flatten() for one in model.parameters()])


def _trained(**settings: Any) -> torch.Tensor:
    model = private.network()
    start = _weights(model)
    private.train(model, **settings)
    assert not torch.equal(_weights(model), start)
    return _weights(model)


# the loop ------------------------------------------------------------------------------------------------------------


def test_a_plain_loop_learns_and_leaves_the_model_as_it_was() -> None:
    data, units = private.table()
    model = private.network()
    kind, names, optimizer = type(model), set(model.__dict__), torch.optim.SGD(model.parameters(), lr=1.0)
    attributes = {name: set(vars(tensor)) for name, tensor in model.named_parameters()}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        private.train(model, data=(data, units), optimizer=optimizer, steps=60, micro_batch_size=7)
    assert type(model) is kind
    assert set(model.__dict__) == names
    assert {name: set(vars(tensor)) for name, tensor in model.named_parameters()} == attributes
    assert not any(part._forward_hooks or part._backward_hooks or part._forward_pre_hooks for part in model.modules())
    assert "step" not in optimizer.__dict__
    accuracy = (model(data.tensors[0]).argmax(1) == data.tensors[1]).float().mean()
    assert accuracy > 0.85
    copy.deepcopy(model)


def test_micro_batches_change_nothing() -> None:
    trained = [_trained(micro_batch_size=size, steps=4) for size in (1, 7, 1000)]
    assert torch.allclose(trained[0], trained[1], atol=1e-6)
    assert torch.allclose(trained[0], trained[2], atol=1e-6)


def test_micro_batches_never_split_a_unit() -> None:
    seen: list[int] = []
    data, units = private.table()
    tagged = TensorDataset(*data.tensors, torch.tensor(units))

    def watched(model: nn.Module, batch: Any) -> torch.Tensor:
        seen.append(len(batch[2]))
        assert all(int((batch[2] == unit).sum()) == 4 for unit in batch[2].unique())
        return private.each_loss(model, batch)

    private.train(data=(tagged, units), loss=watched, micro_batch_size=10)
    assert max(seen) == 8


def test_empty_batches_take_their_noisy_step() -> None:
    model = private.network()
    start = [one.detach().clone() for one in model.parameters()]
    batches: list[int] = []
    run = private.train(
        model,
        expected_batch_size=0.01,
        steps=5,
        loss=lambda net, batch: batches.append(1) or private.each_loss(net, batch),
    )
    assert run.step == 5
    assert len(batches) < 5
    assert all(not torch.equal(one, other) for one, other in zip(model.parameters(), start, strict=True))


def test_units_without_records_stay_in_the_frame() -> None:
    run = private.train(frame=1000, expected_batch_size=20)
    assert run.plan.sample_rate == 0.02
    with pytest.raises(CallError, match="at least the 100 units"):
        private.train(frame=50)


def test_epochs_are_steps_over_the_rate_and_can_be_taken_one_by_one() -> None:
    model, (data, units) = private.network(), private.table()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler_steps = 0
    with private_training(
        model, optimizer, data, private.policy(), units=units, expected_batch_size=20, epochs=2, noise_multiplier=1.0
    ) as run:
        scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1, 0.9)
        assert run.plan.steps == 10
        for _ in range(2):
            for batch in run.batches(5):
                run.backward(private.each_loss(model, batch))
                optimizer.step()
            scheduler.step()
            scheduler_steps += 1
            with torch.no_grad():
                model(data.tensors[0])
        assert run.step == 10
    assert optimizer.param_groups[0]["lr"] == pytest.approx(0.1 * 0.9**scheduler_steps)
    assert run.ledger.entries[-1].facts == {"run": run._run, "steps": 10}


def test_a_data_loader_is_taken_for_its_dataset_and_collate_function() -> None:
    data, units = private.table()
    fetched: list[int] = []

    def collate(records: list[Any]) -> Any:
        fetched.append(len(records))
        return default_collate(records)

    loader = DataLoader(data, batch_size=8, collate_fn=collate)
    assert torch.equal(_trained(data=(loader, units)), _trained())
    assert sum(fetched) > 0


class Listed(Dataset[Any]):
    def __init__(self, data: TensorDataset) -> None:
        self.data = data

    def __len__(self) -> int:
        return len(self.data)

    def __getitem__(self, row: int) -> dict[str, Any]:
        return {"x": self.data.tensors[0][row], "y": self.data.tensors[1][row]}


def test_any_map_style_dataset_will_do() -> None:
    data, units = private.table()
    by_name = _trained(
        data=(Listed(data), units), loss=lambda model, batch: private.each_loss(model, (batch["x"], batch["y"]))
    )
    assert torch.equal(by_name, _trained())


# whom it protects ----------------------------------------------------------------------------------------------------


def test_the_bound_drops_rows_by_lot_and_says_which_groups_lost_them() -> None:
    data, _ = private.table(120)
    units = [0] * 20 + [1] * 10 + list(range(2, 92))
    groups = {"town": ["north"] * 60 + ["south"] * 60, "plan": ["rare"] * 5 + ["usual"] * 115}
    run = private.train(data=(data, units), groups=groups, max_records_per_unit=4)
    said = run.statement()
    assert said["rows"] == {"used": 98, "dropped": 22}
    assert said["dropped"][0] == {"column": "town", "group": "north", "rows": 60, "dropped": 22, "rate": 22 / 60}
    plan = [group for group in said["dropped"] if group["column"] == "plan"]
    assert plan == [{"column": "plan", "group": "other", "rows": 120, "dropped": 22, "rate": 22 / 120}]
    kept = {tuple(private.train(data=(data, units), seed=seed, steps=1)._used[:20]) for seed in range(4)}
    assert len(kept) > 1
    assert all(sum(one) == 4 for one in kept)


def test_records_are_sampled_alone_and_accounted_as_a_mixture() -> None:
    run = private.train(sample="records", expected_batch_size=40, noise_multiplier=3.0, declared=_with_pld())
    said = run.statement()
    assert said["epsilon"] > 2 * _record(expected_batch_size=40, noise_multiplier=3.0)["epsilon"]
    assert said["sampler"] == "Poisson over records, gradients clipped per record"
    assert run.ledger.events()[0].kind == "sampled_records"
    assert said["unit"] == "customer"


def _with_pld() -> Any:
    declared = private.policy()
    object.__setattr__(declared.training, "accountant", "pld")
    return declared


def _record(**settings: Any) -> dict[str, Any]:
    run = private.train(protect="record", units=None, declared=_with_pld(), **settings)
    said: dict[str, Any] = run.statement()
    return said


def test_record_level_is_only_for_who_declares_it_and_is_labelled_so() -> None:
    with pytest.raises(CallError, match="protect='record'"):
        private.train(units=None)
    said = _record()
    assert said["unit"] == "one record"
    assert said["adjacency"] == "add or remove one record"
    assert said["sampler"] == "Poisson over records, gradients clipped per record"
    assert "One record is protected, not its owner: who has several is protected less." in said["says"]
    assert "the other records of a customer: only single records are protected" in said["outside"]


def test_a_record_with_two_owners_is_refused() -> None:
    data, units = private.table()
    with pytest.raises(CallError, match="several owners"):
        private.train(data=(data, [(unit, unit + 1) for unit in units]))


def test_null_units_are_one_unit() -> None:
    data, units = private.table()
    run = private.train(data=(data, [None if unit < 10 else unit for unit in units]))
    assert run.plan.units.count == 91


# the budget ----------------------------------------------------------------------------------------------------------


def test_the_noise_is_solved_for_and_keeps_the_ledger_within_the_policy() -> None:
    ledger = Ledger(None)
    declared = private.policy(limit=3.0)
    first = private.train(ledger=ledger, declared=declared, noise_multiplier=4.0, tuning=True)
    assert first.kind == "tuning"
    second = private.train(ledger=ledger, declared=declared, noise_multiplier=None)
    assert 2.9 < ledger.epsilon() <= 3.0
    said = second.statement()
    assert said["epsilon"] == ledger.epsilon() > said["epsilon_of_run"]
    assert said["ledger"]["tuning"] == 1
    with pytest.raises(GuaranteeError, match=r"at delta 1e-05 \(rdp, add or remove one unit\), above the policy's 3"):
        private.train(ledger=ledger, declared=declared, noise_multiplier=1.0)


def test_a_statement_says_everything_that_epsilon_needs() -> None:
    said = private.train(outside=["choice of the architecture on last year's data"]).statement()
    needed = {"unit", "epsilon", "delta", "adjacency", "sampler", "accountant", "sample_rate", "noise_multiplier"}
    assert needed | {"steps", "clipping_bound", "units", "odds", "exposure", "limit", "policy_sha256"} <= said.keys()
    assert said["outside"][0] == "choice of the architecture on last year's data"
    assert said["for_release"] is False
    assert any("known seed" in sentence for sentence in said["says"])
    assert private.train(seed=None).statement()["for_release"] is True


def test_a_ledger_written_to_after_planning_stops_the_run() -> None:
    ledger, (data, units), model = Ledger(None), private.table(), private.network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    planned = private_training(
        model, optimizer, data, private.policy(), units=units, expected_batch_size=9, steps=1, ledger=ledger,
        noise_multiplier=1.0,
    )  # fmt: skip
    private.train(ledger=ledger)
    with pytest.raises(CallError, match="plan it again"), planned:
        pass
    assert not hasattr(next(iter(model.parameters())), "grad_sample")


def test_a_run_that_fails_before_its_first_step_costs_nothing() -> None:
    ledger = Ledger(None)
    with pytest.raises(CallError, match="already averaged"):
        private.train(ledger=ledger, loss=lambda model, batch: private.each_loss(model, batch).mean())
    assert ledger.events() == ()


# refusals ------------------------------------------------------------------------------------------------------------


class Streamed(IterableDataset[Any]):
    def __iter__(self) -> Any:
        return iter(())


def _assert_refused(said: str, **settings: Any) -> None:
    with pytest.raises(CallError, match=said):
        private.train(**settings)


def test_loaders_that_sample_by_themselves() -> None:
    data, units = private.table()
    weighted = WeightedRandomSampler([1.0] * len(data), len(data))
    for loader, said in (
        (DataLoader(data, batch_size=8, shuffle=True), "shuffled loader"),
        (DataLoader(data, batch_size=8, sampler=weighted), "weighted sampler"),
        (DataLoader(data, batch_size=8, drop_last=True), "drop_last"),
        (DataLoader(data, batch_size=8, sampler=list(range(10))), "sampler of its own"),
        (DataLoader(data, batch_size=None), "sampler of its own"),
        (DataLoader(Streamed(), batch_size=8), "iterable data"),
        (Streamed(), "iterable data"),
        (TensorDataset(torch.zeros(0, 3)), "empty"),
    ):
        _assert_refused(said, data=(loader, units))


def test_models_whose_examples_do_not_stand_alone() -> None:
    _assert_refused("BatchNorm.*GroupNorm", model=nn.Sequential(nn.Linear(6, 4), nn.BatchNorm1d(4), nn.Linear(4, 2)))
    _assert_refused("evaluation mode", model=private.network().eval())
    _assert_refused("several processes", model=nn.DataParallel(private.network()))
    _assert_refused(r"0.weight is on meta: .* the processor only", model=private.network().to("meta"))
    _assert_refused("ModuleValidator.fix", model=nn.LSTM(6, 2))
    frozen = private.network()
    optimizer = torch.optim.SGD(frozen.parameters(), lr=0.1)
    frozen.requires_grad_(False)
    _assert_refused("no tensor", model=frozen, optimizer=optimizer)
    model = private.network()
    _assert_refused("not in the optimizer", model=model, optimizer=torch.optim.SGD(model[0].parameters(), lr=0.1))
    _assert_refused("not the model's", model=model, optimizer=torch.optim.SGD(private.network().parameters(), lr=0.1))


class Running(nn.Module):
    """Keeps a running mean of its inputs, as BatchNorm does under another name."""

    def __init__(self) -> None:
        super().__init__()
        self.out = nn.Linear(private.FEATURES, 2)
        self.register_buffer("mean", torch.zeros(private.FEATURES))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.mean = 0.9 * self.mean + 0.1 * x.mean(0).detach()
        return self.out(x - self.mean)


class Mixing(nn.Module):
    """Subtracts the mean over the batch."""

    def __init__(self) -> None:
        super().__init__()
        self.inner, self.out = nn.Linear(private.FEATURES, 4), nn.Linear(4, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        hidden = self.inner(x)
        return self.out(torch.relu(hidden - hidden.mean(0)))


class Idle(nn.Module):
    """Has a layer that takes no part."""

    def __init__(self) -> None:
        super().__init__()
        self.out, self.idle = nn.Linear(private.FEATURES, 2), nn.Linear(2, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.out(x)


@pytest.mark.parametrize("clipping", ["ghost", "hooks"])
def test_what_only_shows_in_the_first_batch(clipping: str) -> None:
    _assert_refused("buffer mean changed", model=Running(), clipping=clipping)
    _assert_refused("mixes the examples", model=Mixing(), clipping=clipping)
    _assert_refused("idle.weight is trainable and has no gradient", model=Idle(), clipping=clipping)


def test_a_layer_that_takes_part_twice_needs_hooks() -> None:
    _assert_refused("takes part twice", model=Twice())
    assert private.train(Twice(), clipping="hooks").step == 3


def test_a_padding_index_is_left_out_by_ghost_clipping_and_refused_by_hooks() -> None:
    asked: dict[str, Any] = {"data": _text(), "loss": _token_loss, "expected_batch_size": 15}
    assert private.train(Padded(), clipping="ghost", **asked).step == 3
    _assert_refused("padding index", model=Padded(), clipping="hooks", **asked)


def test_losses_that_are_not_one_for_each_example() -> None:
    each = private.each_loss
    _assert_refused("already averaged", loss=lambda model, batch: each(model, batch).mean())
    _assert_refused("mixes the examples", loss=lambda model, batch: each(model, batch).mean().expand(len(batch[0])))
    _assert_refused("expected .* losses", loss=lambda model, batch: model(batch[0]))
    _assert_refused("NaN or infinite", loss=lambda model, batch: each(model, batch) * float("nan"))
    _assert_refused("expected the tensor", loss=lambda model, batch: each(model, batch).detach())
    assert private.train(loss=lambda model, batch: each(model, batch)[:, None]).step == 3


def _looped(body: Any) -> None:
    model, (data, units) = private.network(), private.table()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    asked: dict[str, Any] = {"units": units, "expected_batch_size": 20, "steps": 3, "noise_multiplier": 1.0}
    with private_training(model, optimizer, data, private.policy(), **asked) as run:
        for batch in run:
            body(run, optimizer, private.each_loss(model, batch))


def test_accumulation_by_hand() -> None:
    with pytest.raises(CallError, match="passed over"):
        _looped(lambda run, optimizer, losses: run.backward(losses))
    with pytest.raises(CallError, match="passed over"):
        _looped(lambda run, optimizer, losses: None)
    with pytest.raises(CallError, match="twice"):
        _looped(lambda run, optimizer, losses: (run.backward(losses), run.backward(losses)))
    with pytest.raises(CallError, match="not clipped"):
        _looped(lambda run, optimizer, losses: (losses.mean().backward(), optimizer.step()))
    with pytest.raises(CallError, match="closures"):
        _looped(lambda run, optimizer, losses: optimizer.step(lambda: losses))


def test_weights_that_do_not_move_are_seen_after_the_first_step() -> None:
    model = private.network()
    copies = torch.optim.SGD(model.parameters(), lr=1e-30)
    _assert_refused("did not move", model=model, optimizer=copies)


def test_a_warm_up_from_a_learning_rate_of_zero_is_no_fault() -> None:
    model = private.network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.0)

    def warm(run: Any) -> None:
        optimizer.param_groups[0]["lr"] = 0.1

    assert private.train(model, optimizer=optimizer, each_step=warm).step == 3


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"expected_batch_size": 101}, "at most the 100 units"),
        ({"expected_batch_size": 0}, "expected_batch_size"),
        ({"steps": 0}, "steps"),
        ({"epochs": 3}, "either steps or epochs"),
        ({"max_grad_norm": float("inf")}, "max_grad_norm"),
        ({"noise_multiplier": 0}, "noise_multiplier"),
        ({"micro_batch_size": 0}, "micro_batch_size"),
        ({"protect": "household"}, "protect"),
        ({"sample": "pairs"}, "sample"),
        ({"clipping": "layerwise"}, "clipping"),
        ({"units": [1, 2]}, "one for each of the 400 records"),
        ({"protect": "record"}, "takes no units"),
        ({"groups": {"town": ["north"]}}, "groups.town"),
    ],
    ids=str,
)
def test_calls_that_do_not_fit(settings: dict[str, Any], said: str) -> None:
    _assert_refused(said, **settings)


def test_policies_that_do_not_say_enough() -> None:
    _assert_refused("no bound|name a bound", declared=private.policy(most=None))
    undeclared = private.policy()
    undeclared.training = None
    _assert_refused("no part `training`", declared=undeclared)


def test_positions_are_given_their_batch_dimension_back() -> None:
    for flat in (False, True):
        assert private.train(Positions(flat), data=_text(), loss=_token_loss, expected_batch_size=5).step == 3


# crash and resume ----------------------------------------------------------------------------------------------------


class Killed(BaseException):
    """As if the process had ended here."""


def _spending(ledger: Path) -> list[Any]:
    return [{**entry.facts, "run": ""} for entry in Ledger(ledger).spending()]


@pytest.mark.parametrize("every", [1, 3])
def test_a_killed_and_resumed_run_is_the_uninterrupted_one(tmp_path: Path, every: int) -> None:
    def adam(model: nn.Module) -> torch.optim.Optimizer:
        return torch.optim.Adam(model.parameters(), lr=0.05)

    settings: dict[str, Any] = {"steps": 9, "seed": 4, "checkpoint_every": every}
    whole = private.network()
    private.train(whole, optimizer=adam(whole), ledger=tmp_path / "whole.jsonl", **settings)

    def kill(run: Any) -> None:
        if run.step == 5:
            raise Killed

    broken, settings["checkpoint"] = private.network(), tmp_path / "run.pt"
    with pytest.raises(Killed):
        private.train(broken, optimizer=adam(broken), ledger=tmp_path / "killed.jsonl", each_step=kill, **settings)
    again = private.network(seed=99)
    run = private.train(again, optimizer=adam(again), ledger=tmp_path / "killed.jsonl", **settings)
    assert torch.equal(_weights(again), _weights(whole))
    assert _spending(tmp_path / "killed.jsonl") == _spending(tmp_path / "whole.jsonl")
    assert Ledger(tmp_path / "killed.jsonl").epsilon() == Ledger(tmp_path / "whole.jsonl").epsilon()
    assert run.statement()["repeated_steps"] == (0 if every == 1 else 2)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["killed.jsonl", "whole.jsonl"]


def test_a_checkpoint_of_another_run_is_refused(tmp_path: Path) -> None:
    def kill(run: Any) -> None:
        raise Killed

    settings: dict[str, Any] = {"checkpoint": tmp_path / "run.pt", "ledger": tmp_path / "spent.jsonl"}
    with pytest.raises(Killed):
        private.train(each_step=kill, **settings)
    _assert_refused("other settings", **{**settings, "noise_multiplier": 2.0})
    _assert_refused("knows nothing", **{**settings, "ledger": tmp_path / "other.jsonl"})
    private.train(**settings)
    (tmp_path / "run.pt").write_bytes(b"no checkpoint")
    with pytest.raises(InputError, match="not a checkpoint"):
        private.train(**settings)


def test_a_checkpoint_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    checkpoint = Checkpoint(tmp_path / "none" / "run.pt", 1)
    for write in (lambda: checkpoint.write({"step": 1}), lambda: checkpoint.reached(1)):
        with pytest.raises(OutputError, match="writing the checkpoint"):
            write()


def test_secure_noise_is_standard_normal_and_fresh() -> None:
    from scipy.stats import kstest

    from anonym.dp.randomness import gaussian

    draws = gaussian(200_001).numpy()
    assert kstest(draws, "norm").pvalue > 1e-6
    assert kstest(draws / 1.3, "norm").pvalue < 1e-6
    assert kstest(draws / 0.7, "norm").pvalue < 1e-6
    assert not np.array_equal(draws[:10], gaussian(10).numpy())
    assert abs(np.corrcoef(draws[:-1], draws[1:])[0, 1]) < 0.02
    assert Secure.secure
    assert not Seeded.secure


@pytest.mark.parametrize("bits", [b"\xff", b"\x00"])
def test_secure_draws_stay_inside_at_either_end_of_the_bits(monkeypatch: pytest.MonkeyPatch, bits: bytes) -> None:
    from anonym.dp.randomness import gaussian

    monkeypatch.setattr("anonym.dp.randomness._bits", lambda words: bytearray(bits * 8 * words))
    assert Secure().chosen(3, 1.0).tolist() == [0, 1, 2]
    assert Secure().chosen(3, 0.0).tolist() == []
    assert gaussian(3).isfinite().all()


def test_secure_noise_is_handed_out_once_and_in_one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    source = Secure()
    sizes = (7, 7, 1, BLOCK + 3, 5)
    drawn = torch.cat([source.noisy(torch.zeros(size, dtype=torch.float64), 1.0) for size in sizes])
    assert len(drawn.unique()) == sum(sizes)
    held = source._draws.clone()
    monkeypatch.setattr("anonym.dp.randomness.os.getpid", lambda: -1)
    after = source.noisy(torch.zeros(5, dtype=torch.float64), 1.0)
    assert not torch.isin(after, held).any(), "a process that forked off has draws of its own"
