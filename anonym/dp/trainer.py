"""Private training in Hugging Face's Trainer: a mixin, with or without LoRA (peft).

class PrivateTrainer(PrivateTrainerMixin, transformers.Trainer): ...

trainer = PrivateTrainer(model=model, args=args, train_dataset=data, data_collator=collate,
                         policy=policy, private={"units": owners, "expected_batch_size": 64, "epochs": 3})
trainer.train()
evidence = trainer.private_run.statement()
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import torch
from torch import nn

from anonym.dp.options import HasTraining
from anonym.dp.training import PrivateTraining, private_training
from anonym.errors import CallError

IGNORED = -100  # the label of a token that no loss is taken of

if TYPE_CHECKING:
    from transformers import Trainer
else:
    Trainer = object


class Samples:
    """Instead of the Trainer's data loader: one Poisson sample a step."""

    def __init__(self, run: PrivateTraining) -> None:
        self.run, self.dataset = run, run._dataset
        self.batch_size = round(run.plan.expected)

    def __len__(self) -> int:
        return self.run.plan.steps

    def __iter__(self) -> Iterator[Any]:
        return iter(self.run.samples())


class PrivateTrainerMixin(Trainer):  # type: ignore[misc]
    """Put before `transformers.Trainer`. `private` are the settings of `private_training`; sampling, clipping and noise
    are its, and so the number of steps. The Trainer's batch size, epochs and gradient clipping are not used.

    Raises CallError for gradient accumulation, which the hook does by itself.
    """

    def __init__(self, *args: Any, policy: HasTraining, private: Mapping[str, Any], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.args.gradient_accumulation_steps != 1:
            raise CallError(
                "gradient_accumulation_steps is refused: gradients are not to be gathered by hand. Raise "
                "expected_batch_size; micro_batch_size says how much of it is in memory at a time"
            )
        self.policy, self.private = policy, dict(private)
        self.private_run: PrivateTraining | None = None

    def train(self, *args: Any, **kwargs: Any) -> Any:
        """As the Trainer's, with a step for each Poisson sample."""
        self.create_optimizer()
        self.model.train()
        settings = {"collate": self.data_collator, **self.private}
        with private_training(self.model, self.optimizer, self.train_dataset, self.policy, **settings) as run:
            self.private_run = run
            self.args.max_steps, self.args.max_grad_norm = run.plan.steps, 0.0
            return super().train(*args, **kwargs)

    def get_train_dataloader(self) -> Any:
        return Samples(self._run())

    def training_step(self, model: nn.Module, inputs: Any, *_args: Any, **_kwargs: Any) -> torch.Tensor:
        """The clipped gradients of one sample; the optimizer's step adds the noise."""
        model.train()
        mean = self._run().gather(inputs, lambda batch: self.each_loss(model, self._prepare_inputs(batch)))
        return torch.tensor(0.0 if mean is None else mean)

    def each_loss(self, model: nn.Module, inputs: Mapping[str, Any]) -> torch.Tensor:
        """One loss for each example: next-token cross-entropy where labels are tokens, else that of the class.

        Override it for other tasks; it must not average over examples.
        """
        asked = {name: value for name, value in inputs.items() if name != "labels"}
        logits, labels = model(**asked).logits, inputs["labels"]
        if labels.dim() == 1:
            return nn.functional.cross_entropy(logits, labels, reduction="none")
        each = nn.functional.cross_entropy(
            logits[:, :-1].transpose(1, 2), labels[:, 1:], reduction="none", ignore_index=IGNORED
        )
        told = (labels[:, 1:] != IGNORED).sum(1).clamp(min=1)
        return each.sum(1) / told

    def floating_point_ops(self, _inputs: Any) -> int:
        """Not counted: a sample is no batch of the model's inputs."""
        return 0

    def _run(self) -> PrivateTraining:
        if self.private_run is None:
            raise CallError("the run is opened by train()")
        return self.private_run
