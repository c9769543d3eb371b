"""Clipped sums of unit gradients, on Opacus' hooks.

A unit's gradient is the mean over its records in the batch; it is clipped to length C, and only sums of clipped
gradients leave this module. `ghost` computes lengths without the gradients (Li et al. 2022, arXiv 2110.05679): a
unit's records are laid end to end as one sequence, so that the same formula gives its length. `hooks` keeps every
record's gradient.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import torch
from opacus.grad_sample import GradSampleHooks, GradSampleHooksFastGradientClipping
from opacus.grad_sample.functorch import ft_compute_per_sample_gradient
from opacus.grad_sample.grad_sample_module import create_or_accumulate_grad_sample, promote_current_grad_sample
from opacus.utils.module_utils import trainable_parameters
from torch import nn

from anonym.errors import CallError

Clipping = Literal["auto", "ghost", "hooks"]

AGREEMENT = 1e-3  # of the gradient's length: float32 leaves about 1e-6, a wrong attribution leaves about 1


@dataclass(frozen=True)
class Owners:
    """`of[row]` is the unit of a row in the micro-batch, 0 … `count` - 1; `share[row]` one over its unit's rows."""

    of: torch.Tensor
    count: int
    share: torch.Tensor
    alone: bool  # every unit has one row, in order

    @staticmethod
    def of_rows(codes: torch.Tensor) -> Owners:
        _, of, sizes = torch.unique_consecutive(codes, return_inverse=True, return_counts=True)
        return Owners(of, len(sizes), 1.0 / sizes[of], len(sizes) == len(of))

    def gathered(self, rows: torch.Tensor) -> torch.Tensor:
        """The mean of each unit's rows, (units, …)."""
        if self.alone:
            return rows
        weighted = rows * self.share.to(rows.dtype).view(-1, *[1] * (rows.dim() - 1))
        return rows.new_zeros((self.count, *rows.shape[1:])).index_add_(0, self.of, weighted)

    def in_rows(self) -> tuple[torch.Tensor, torch.Tensor]:
        """Positions (units, most rows) into the batch, and which of them are rows and not padding."""
        sizes = torch.bincount(self.of, minlength=self.count)
        starts = torch.cumsum(sizes, 0) - sizes
        steps = torch.arange(int(sizes.max()))
        real = steps < sizes[:, None]
        return torch.where(real, starts[:, None] + steps, 0), real


class UnitNorms(GradSampleHooksFastGradientClipping):  # type: ignore[misc]
    """Lengths of unit gradients in one backward pass, as `_norm_sample` (units,) of each tensor.

    What a layer took in and what came back is kept until the lengths are known: the sum of clipped gradients follows
    from it without a second backward pass (book-keeping, Bu et al. 2023, arXiv 2210.00038).
    """

    owners: Owners
    kept: list[tuple[nn.Parameter, Callable[[torch.Tensor], torch.Tensor]]]

    def capture_backprops_hook(
        self,
        module: nn.Module,
        _forward_input: Any,
        forward_output: Any,
        loss_reduction: str,
        batch_first: bool,
    ) -> None:
        if not self.hooks_enabled:
            return
        activations, backprops = self.rearrange_grad_samples(
            module=module,
            backprops=forward_output[0].detach(),
            loss_reduction=loss_reduction,
            batch_first=batch_first,
        )
        if self.use_ghost_clipping and type(module) in self.NORM_SAMPLERS:
            self._from_activations(module, activations, backprops)
        else:
            self._from_gradients(module, activations, backprops)
        if not module.activations and hasattr(module, "max_batch_len"):
            del module.max_batch_len

    def capture_activations_hook(self, module: nn.Module, forward_input: Any, _forward_output: Any) -> None:
        try:
            super().capture_activations_hook(module, forward_input, _forward_output)
        except NotImplementedError:
            raise CallError(
                "a layer takes part twice in one forward pass, and ghost clipping sees each time alone. Use "
                "clipping='hooks'"
            ) from None

    def _from_activations(self, module: nn.Module, activations: list[torch.Tensor], backprops: torch.Tensor) -> None:
        inputs = activations[0].contiguous()
        if isinstance(module, nn.Embedding) and module.padding_idx is not None:
            backprops = backprops * (inputs != module.padding_idx).unsqueeze(-1)
        if not self.owners.alone or backprops.dim() > 3:
            inputs, backprops = _end_to_end(self.owners, module, inputs, backprops)
        taken = _formula(module, backprops) or self.NORM_SAMPLERS[type(module)]
        for tensor, length in taken(module, [inputs], backprops).items():
            if tensor.requires_grad:
                tensor._norm_sample = length
                tensor._forward_counter -= 1
                self.kept.append((tensor, partial(_summed, module, tensor, inputs, backprops)))

    def _from_gradients(self, module: nn.Module, activations: list[torch.Tensor], backprops: torch.Tensor) -> None:
        taken = self.GRAD_SAMPLERS.get(type(module), ft_compute_per_sample_gradient)
        for tensor, gradients in taken(module, activations, backprops).items():
            create_or_accumulate_grad_sample(param=tensor, grad_sample=gradients, max_batch_len=module.max_batch_len)
        for _, tensor in trainable_parameters(module):
            tensor._forward_counter -= 1
            if tensor._forward_counter == 0:
                promote_current_grad_sample(tensor)
                means = self.owners.gathered(tensor.grad_sample)
                tensor._norm_sample = means.flatten(1).norm(dim=1)
                tensor.grad_sample = None
                self.kept.append((tensor, partial(_weighted, means)))


def _summed(
    module: nn.Module, tensor: nn.Parameter, inputs: torch.Tensor, backprops: torch.Tensor, factors: torch.Tensor
) -> torch.Tensor:
    """The sum of unit gradients, each times its factor, from what the layer took in and what came back."""
    factors = factors.to(backprops.dtype)
    spread = factors.view(-1, *[1] * (backprops.dim() - 1))
    if isinstance(module, nn.Embedding):
        flat = (backprops * spread).flatten(0, -2)
        return torch.zeros_like(tensor).index_add_(0, inputs.flatten(), flat.to(tensor.dtype))
    if tensor is not module.weight:
        return factors @ backprops.flatten(1, -2).sum(1) if backprops.dim() > 2 else factors @ backprops
    left, right = backprops, inputs.to(backprops.dtype)
    left, right = (left * spread, right) if left.shape[-1] < right.shape[-1] else (left, right * spread)
    return left.flatten(0, -2).T @ right.flatten(0, -2)


def _weighted(means: torch.Tensor, factors: torch.Tensor) -> torch.Tensor:
    return torch.einsum("u,u...->...", factors.to(means.dtype), means)


def _formula(module: nn.Module, backprops: torch.Tensor) -> Callable[..., dict[nn.Parameter, torch.Tensor]] | None:
    """Of a linear layer what is cheaper than comparing positions: nothing to compare, or sequences so long that the
    gradient itself costs less (Bu et al. 2022, arXiv 2205.10683)."""
    if not isinstance(module, nn.Linear):
        return None
    if backprops.dim() == 2:
        return _crossed
    return _multiplied if 2 * backprops.shape[1] ** 2 > module.in_features * module.out_features else None


def _crossed(
    module: nn.Linear, activations: list[torch.Tensor], backprops: torch.Tensor
) -> dict[nn.Parameter, torch.Tensor]:
    """Lengths of the gradients of a linear layer over (units, …), which are outer products."""
    length = torch.linalg.vector_norm(backprops, dim=1)
    found = {module.weight: length * torch.linalg.vector_norm(activations[0].to(backprops.dtype), dim=1)}
    return found if module.bias is None else {**found, module.bias: length}


def _multiplied(
    module: nn.Linear, activations: list[torch.Tensor], backprops: torch.Tensor
) -> dict[nn.Parameter, torch.Tensor]:
    """Lengths of the gradients of a linear layer over (units, positions, …), from the gradients."""
    inputs = activations[0].to(backprops.dtype)
    found = {module.weight: torch.bmm(backprops.transpose(1, 2), inputs).flatten(1).norm(dim=1)}
    return found if module.bias is None else {**found, module.bias: backprops.sum(1).norm(dim=1)}


def _end_to_end(
    owners: Owners, module: nn.Module, inputs: torch.Tensor, backprops: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """A unit's records as one sequence: (units, rows × positions, …), padded with zero backprops."""
    positions, real = owners.in_rows()
    weighted = backprops * owners.share.to(backprops.dtype).view(-1, *[1] * (backprops.dim() - 1))
    weighted = weighted[positions] * real.view(*real.shape, *[1] * (backprops.dim() - 1))
    laid = inputs[positions]
    flat = laid.flatten(1) if isinstance(module, nn.Embedding) else laid.reshape(owners.count, -1, laid.shape[-1])
    return flat, weighted.reshape(owners.count, -1, weighted.shape[-1])


class Gradients:
    """The trainable tensors of a model with their hooks, and the sum of clipped unit gradients so far."""

    def __init__(
        self, model: nn.Module, tensors: Mapping[str, nn.Parameter], bound: float, clipping: Clipping = "auto"
    ) -> None:
        self.model, self.tensors, self.bound = model, dict(tensors), bound
        self.mode = _mode(model, clipping)
        self.sums: dict[str, torch.Tensor] = {}
        self.rows = 0
        self._positional: dict[nn.Module, bool] = {}
        self._checked = False
        self._buffers = {name: tensor.clone() for name, tensor in model.named_buffers()}
        self._expanding = [
            part.register_forward_pre_hook(self._expand) for part in model.modules() if isinstance(part, nn.Embedding)
        ]
        self._reached = _small(model, self.tensors)
        kind = UnitNorms if self.mode == "ghost" else GradSampleHooks
        self.hooks = kind(model, loss_reduction="sum", strict=False)

    def close(self) -> None:
        """The model as it was: no hooks, no attributes of ours or Opacus'."""
        for handle in self._expanding:
            handle.remove()
        self.hooks.cleanup()
        for part in self.model.modules():
            for name in ("activations", "max_batch_len"):
                part.__dict__.pop(name, None)

    def begin(self, owners: Owners) -> None:
        """Ready for the forward pass of a micro-batch of these owners' records."""
        self.rows, self.hooks.owners, self.hooks.kept = len(owners.of), owners, []
        for part in self.model.modules():
            part.__dict__.pop("activations", None)
            part.__dict__.pop("max_batch_len", None)
        for tensor in self.tensors.values():
            tensor.grad_sample, tensor._forward_counter = None, 0
            for name in ("_norm_sample", "_current_grad_sample"):
                tensor.__dict__.pop(name, None)
            tensor.grad = None

    def _expand(self, module: nn.Module, inputs: tuple[Any, ...]) -> tuple[Any, ...] | None:
        """Position ids that a model broadcasts over the batch (GPT-2 does) are given their batch dimension back."""
        ids = inputs[0] if inputs else None
        if not (isinstance(ids, torch.Tensor) and module.training and torch.is_grad_enabled() and self.rows > 1):
            return None
        if ids.dim() >= 2 and ids.shape[0] == 1:
            return (ids.expand(self.rows, *ids.shape[1:]).contiguous(), *inputs[1:])
        if ids.dim() == 1 and self._positional.setdefault(module, len(ids) != self.rows):
            return (ids.expand(self.rows, *ids.shape).contiguous(), *inputs[1:])
        return None

    def add(self, losses: torch.Tensor, owners: Owners) -> None:
        """Add the clipped gradients of the units in this micro-batch to the sums. Raises CallError where the model
        does not allow it."""
        self._unmoved_buffers()
        check = not self._checked and owners.count > 1
        lengths = self._lengths(losses, owners, check)
        if check:
            self._agree(losses, owners, lengths)
        total = torch.stack(list(lengths.values())).norm(dim=0)
        if not bool(torch.isfinite(total).all()):
            raise CallError("a gradient is NaN or infinite and cannot be clipped. Lower the learning rate")
        self._sum(self._factors(total), owners)

    def _factors(self, lengths: torch.Tensor) -> torch.Tensor:
        """What clips each unit's gradient, (units,)."""
        return (self.bound / (lengths + 1e-6)).clamp(max=1.0)

    def _lengths(self, losses: torch.Tensor, owners: Owners, keep: bool) -> dict[str, torch.Tensor]:
        """The length of each unit's gradient in each tensor, (units,)."""
        with _quiet():
            if self.mode == "ghost":
                torch.autograd.grad(losses.sum(), self._reached, retain_graph=keep, allow_unused=True)
            else:
                losses.sum().backward(retain_graph=keep)
        return {name: self._length(name, tensor, owners) for name, tensor in self.tensors.items()}

    def _length(self, name: str, tensor: nn.Parameter, owners: Owners) -> torch.Tensor:
        if self.mode == "ghost":
            length = getattr(tensor, "_norm_sample", None)
        else:
            sample = getattr(tensor, "grad_sample", None)
            length = None if sample is None else _rows(sample, name)
            length = None if length is None else owners.gathered(length).flatten(1).norm(dim=1)
        if length is None or len(length) != owners.count:
            raise CallError(
                f"{name} is trainable and has no gradient for each example: it did not take part in this forward pass "
                "with the batch as first dimension. Freeze it (requires_grad_(False)), or let every example use it"
            )
        detached: torch.Tensor = length.detach()
        return detached

    def _sum(self, factors: torch.Tensor, owners: Owners) -> None:
        names = {id(tensor): name for name, tensor in self.tensors.items()}
        if self.mode == "ghost":
            for tensor, summed in self.hooks.kept:
                self._add(names[id(tensor)], summed(factors))
            self.hooks.kept = []
            return
        rows = factors[owners.of] * owners.share.to(factors.dtype)
        for name, tensor in self.tensors.items():
            self._add(name, _weighted(_rows(tensor.grad_sample, name), rows))
            tensor.grad, tensor.grad_sample = None, None

    def _add(self, name: str, part: torch.Tensor) -> None:
        part = part.detach()
        self.sums[name] = self.sums[name] + part if name in self.sums else part

    # checks on the first batch

    def _unmoved_buffers(self) -> None:
        if self._checked:
            return
        for name, tensor in self.model.named_buffers():
            if name in self._buffers and not torch.equal(tensor, self._buffers[name]):
                raise CallError(
                    f"the buffer {name} changed in a forward pass: statistics of the batch that no noise protects. "
                    "Replace the layer, or freeze its statistics"
                )

    def _agree(self, losses: torch.Tensor, owners: Owners, lengths: dict[str, torch.Tensor]) -> None:
        """The lengths of two units against autograd, once: whatever mixes examples shows here."""
        whole = torch.stack(list(lengths.values())).norm(dim=0)
        self.hooks.disable_hooks()
        for unit in (0, owners.count - 1):
            mine = losses[owners.of == unit].mean()
            with _quiet():
                known = torch.autograd.grad(mine, list(self.tensors.values()), retain_graph=True, allow_unused=True)
            for name, gradient in zip(self.tensors, known, strict=True):
                length = 0.0 if gradient is None else float(gradient.norm())
                if abs(length - float(lengths[name][unit])) > AGREEMENT * float(whole[unit]) + 1e-7:
                    raise CallError(
                        f"{name}: the gradient taken for one example is not the gradient of its loss. Either the loss "
                        "or a layer mixes the examples of a batch, or an input lacks the batch as first dimension "
                        "(position ids: pass them expanded), or the layer has a padding index"
                    )
        self.hooks.enable_hooks()
        self._checked = True


def _small(model: nn.Module, tensors: Mapping[str, nn.Parameter]) -> list[nn.Parameter]:
    """Of each layer its smallest trainable tensor: a backward pass that asks for these visits every layer, and spares
    the products that the large ones would take."""
    mine = {id(tensor) for tensor in tensors.values()}
    held = ([one for one in part.parameters(recurse=False) if id(one) in mine] for part in model.modules())
    return list({id(one): one for one in (min(ones, key=torch.numel) for ones in held if ones)}.values())


def _rows(sample: Any, name: str) -> torch.Tensor:
    if isinstance(sample, list):
        raise CallError(f"{name} went through two backward passes before its step: gradients are not to be accumulated")
    rows: torch.Tensor = sample
    return rows


def _mode(model: nn.Module, clipping: Clipping) -> str:
    """`ghost` where every layer allows it: each tensor in one layer, each layer of a kind that has a formula."""
    if clipping not in ("auto", "ghost", "hooks"):
        raise CallError("clipping: expected auto, ghost or hooks")
    if clipping != "auto":
        if clipping == "ghost" and _tied(model):
            raise CallError(
                "ghost clipping is refused: a tensor is shared by several layers, and the lengths of its parts do not "
                "add up. Use clipping='hooks'"
            )
        return clipping
    known = {**GradSampleHooks.GRAD_SAMPLERS, **UnitNorms.NORM_SAMPLERS}
    layers = [part for part in model.modules() if any(one.requires_grad for one in part.parameters(recurse=False))]
    return "ghost" if not _tied(model) and all(type(part) in known for part in layers) else "hooks"


def _tied(model: nn.Module) -> bool:
    holders = [id(one) for part in model.modules() for one in part.parameters(recurse=False) if one.requires_grad]
    return len(holders) != len(set(holders))


@contextmanager
def _quiet() -> Iterator[None]:
    """Opacus needs no gradient of the model's input, and PyTorch warns of that at every step."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Full backward hook is firing when gradients are computed")
        yield
