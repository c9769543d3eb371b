"""The Trainer mixin: GPT-2 with its broadcast positions and tied weights, and LoRA."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="pip install 'anonym[dp]'")
pytest.importorskip("opacus", reason="pip install 'anonym[dp]'")
pytest.importorskip("transformers", reason="pip install transformers")
pytest.importorskip("accelerate", reason="pip install accelerate")

import torch
import transformers
from naive import private

from anonym.dp.trainer import PrivateTrainerMixin
from anonym.errors import CallError


class PrivateTrainer(PrivateTrainerMixin, transformers.Trainer):
    pass


def _gpt2() -> Any:
    torch.manual_seed(0)
    config = transformers.GPT2Config(
        vocab_size=23, n_positions=12, n_embd=16, n_layer=1, n_head=2, resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0
    )
    return transformers.GPT2LMHeadModel(config)


def _sentences(rows: int = 60) -> list[dict[str, torch.Tensor]]:
    """Counting upwards from any number."""
    starts = torch.randint(0, 23, (rows,), generator=torch.Generator().manual_seed(0))
    ids = [(start + torch.arange(8)) % 23 for start in starts]
    return [{"input_ids": one, "labels": one} for one in ids]


def _trainer(model: Any, folder: Path, accumulate: int = 1, **settings: Any) -> PrivateTrainer:
    args = transformers.TrainingArguments(
        output_dir=str(folder), use_cpu=True, report_to=[], save_strategy="no", disable_tqdm=True, learning_rate=0.01,
        gradient_accumulation_steps=accumulate, logging_steps=5,
    )  # fmt: skip
    asked = {
        "units": [row // 3 for row in range(60)],
        "expected_batch_size": 5,
        "steps": 12,
        "noise_multiplier": 0.5,
        "seed": 1,
        "micro_batch_size": 6,
        **settings,
    }
    declared = private.policy(limit=1e4)
    return PrivateTrainer(model=model, args=args, train_dataset=_sentences(), policy=declared, private=asked)


def _loss(model: Any) -> float:
    ids = torch.stack([one["input_ids"] for one in _sentences()])
    with torch.no_grad():
        return float(model.eval()(input_ids=ids, labels=ids).loss)


def test_gpt2_trains_in_the_trainer_and_stays_itself(tmp_path: Path) -> None:
    model = _gpt2()
    before = _loss(model)
    trainer = _trainer(model.train(), tmp_path, steps=25, noise_multiplier=0.2)
    trainer.train()
    assert trainer.private_run is not None
    assert trainer.private_run.step == 25
    assert trainer.state.global_step == 25
    assert _loss(model) < before - 0.1
    assert isinstance(model, transformers.GPT2LMHeadModel)
    model.save_pretrained(tmp_path / "saved")
    assert trainer.private_run.statement()["steps"] == 25


def test_lora_trains_only_its_own_tensors(tmp_path: Path) -> None:
    peft = pytest.importorskip("peft", reason="pip install peft")
    model = peft.get_peft_model(_gpt2(), peft.LoraConfig(r=2, target_modules=["c_attn"], fan_in_fan_out=True))
    frozen = {name: one.clone() for name, one in model.named_parameters() if not one.requires_grad}
    trainable = {name: one.clone() for name, one in model.named_parameters() if one.requires_grad}
    _trainer(model, tmp_path).train()
    now = dict(model.named_parameters())
    assert all(torch.equal(now[name], one) for name, one in frozen.items())
    assert all(not torch.equal(now[name], one) for name, one in trainable.items())
    model.save_pretrained(tmp_path / "adapter")


def test_an_empty_sample_takes_its_step(tmp_path: Path) -> None:
    trainer = _trainer(_gpt2(), tmp_path, expected_batch_size=0.2, steps=6)
    trainer.train()
    assert trainer.private_run is not None
    assert trainer.private_run.step == 6


def test_accumulation_by_the_trainer_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CallError, match="gradient_accumulation_steps"):
        _trainer(_gpt2(), tmp_path, accumulate=2)
