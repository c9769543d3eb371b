"""What private training refuses before it begins: each with the reason and the way out."""

from __future__ import annotations

from typing import Any

import torch
from opacus.validators import ModuleValidator
from opacus.validators.errors import UnsupportedModuleError
from torch import nn
from torch.utils.data import DataLoader, IterableDataset, RandomSampler, SequentialSampler, WeightedRandomSampler

from anonym.errors import CallError

BATCH_NORMS = (nn.modules.batchnorm._BatchNorm,)


def loaded(data: Any) -> tuple[Any, Any]:
    """The dataset and the collate function of a dataset or of a plain DataLoader around one.

    Raises CallError for loaders that sample by themselves and for data that cannot be drawn from by position.
    """
    collate = None
    if isinstance(data, DataLoader):
        _plain(data)
        data, collate = data.dataset, data.collate_fn
    if isinstance(data, IterableDataset) or not (hasattr(data, "__len__") and hasattr(data, "__getitem__")):
        raise CallError(
            "iterable data is refused: Poisson sampling draws any record at any step, by its position. Pass a dataset "
            "with __len__ and __getitem__"
        )
    if len(data) == 0:
        raise CallError("the dataset is empty: there is nothing to train on")
    return data, collate


def _plain(loader: DataLoader[Any]) -> None:
    if isinstance(loader.dataset, IterableDataset):
        raise CallError(
            "iterable data is refused: Poisson sampling draws any record at any step. Pass a map-style dataset"
        )
    if loader.drop_last:
        raise CallError(
            "drop_last is refused: the records left out of a pass depend on the others. Leave it off; Poisson batches "
            "have no last one"
        )
    if isinstance(loader.sampler, WeightedRandomSampler):
        raise CallError(
            "a weighted sampler is refused: records would be in a batch at rates the accountant does not know. Pass "
            "the dataset; every unit is sampled at the same rate"
        )
    if isinstance(loader.sampler, RandomSampler):
        raise CallError(
            "a shuffled loader is refused: shuffled batches accounted as Poisson samples understate epsilon. Pass the "
            "dataset, or leave shuffle off; sampling is done here"
        )
    if not isinstance(loader.sampler, SequentialSampler) or loader.batch_size is None:
        raise CallError("a sampler of its own is refused: sampling is done here. Pass the dataset")


def model(trained: nn.Module, optimizer: torch.optim.Optimizer) -> dict[str, nn.Parameter]:
    """The trainable tensors by name. Raises CallError for models whose examples do not stand alone."""
    if isinstance(trained, nn.parallel.DistributedDataParallel | nn.DataParallel):
        raise CallError(
            "several processes or devices are refused: each would sample and add noise for itself. Train on one device "
            "with the model as it is; micro_batch_size keeps large batches within its memory"
        )
    for name, tensor in trained.named_parameters():
        if tensor.device.type != "cpu":
            raise CallError(
                f"{name} is on {tensor.device.type}: private training runs on the processor only, where its clipping "
                "and noise are tested. Move the model with .to('cpu') (TrainingArguments(use_cpu=True)), and keep the "
                "batches there"
            )
    for name, part in trained.named_modules():
        if isinstance(part, BATCH_NORMS):
            raise CallError(
                f"{name or 'the model'} is a BatchNorm: it mixes the examples of a batch, so no gradient belongs to "
                "one of them. Replace it with GroupNorm or LayerNorm (opacus.validators.ModuleValidator.fix does)"
            )
    if not trained.training:
        raise CallError("the model is in evaluation mode, in which no per-example gradients are taken. Call train()")
    faults = ModuleValidator.validate(trained, strict=False)
    if faults:
        raise CallError(_replace(faults[0]))
    return _trainable(trained, optimizer)


def _replace(fault: UnsupportedModuleError) -> str:
    first = str(fault).split(". ")[0].strip()
    return f"{first}. opacus.validators.ModuleValidator.fix replaces such layers by ones that can be clipped"


def _trainable(trained: nn.Module, optimizer: torch.optim.Optimizer) -> dict[str, nn.Parameter]:
    named = {id(tensor): name for name, tensor in trained.named_parameters()}
    held = [tensor for group in optimizer.param_groups for tensor in group["params"]]
    if any(id(tensor) not in named for tensor in held):
        raise CallError("the optimizer holds tensors that are not the model's; make it from model.parameters()")
    trainable = {named[id(tensor)]: tensor for tensor in held if tensor.requires_grad}
    if not trainable:
        raise CallError("no tensor of the model is trainable: the optimizer holds none that requires a gradient")
    left = [name for name, tensor in trained.named_parameters() if tensor.requires_grad and name not in trainable]
    if left:
        raise CallError(
            f"{left[0]} requires a gradient and is not in the optimizer: freeze it (requires_grad_(False)) or add it"
        )
    return trainable


def losses(per_example: Any, rows: int) -> torch.Tensor:
    """The losses as a vector of one per example. Raises CallError for anything else, NaN included."""
    if not isinstance(per_example, torch.Tensor) or not per_example.requires_grad:
        raise CallError("expected the tensor of losses that the model's output led to, one for each example")
    if per_example.dim() == 0 and rows != 0:
        raise CallError(
            "the loss is already averaged or summed over the batch: no gradient can be clipped for one example. Pass "
            "one loss for each example (reduction='none', then the mean over all but the first dimension)"
        )
    vector = per_example.squeeze(-1) if per_example.dim() == 2 and per_example.shape[1] == 1 else per_example
    if vector.dim() != 1 or len(vector) != rows:
        raise CallError(
            f"expected {rows} losses, one for each example, found a tensor of shape {tuple(per_example.shape)}. "
            "Average over tokens or pixels first, never over examples"
        )
    wrong = int((~torch.isfinite(vector)).sum())
    if wrong:
        raise CallError(
            f"{wrong} of {rows} losses are NaN or infinite: their gradients cannot be clipped. Lower the learning "
            "rate, or check the records"
        )
    return vector
