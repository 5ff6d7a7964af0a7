"""Digests of gradients and parameters around each optimizer step, to be compared over the ranks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch.nn.parallel import DistributedDataParallel
from torch.optim.optimizer import register_optimizer_step_pre_hook

from ..facts.distributed import RankStep
from .evaluation_own import tensor_digest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from torch import nn
    from torch.utils.hooks import RemovableHandle
    from typing_extensions import Self

SHARDING = ("FullyShardedDataParallel", "DeepSpeedEngine")


class HandedTensors:
    """What the user's code has handed to collectives, known by its memory."""

    def __init__(self) -> None:
        self._storages: set[int] = set()
        self._sizes: set[int] = set()

    def __bool__(self) -> bool:
        return bool(self._sizes)

    def note(self, tensor: torch.Tensor) -> None:
        """Note one that goes into a collective."""
        self._storages.add(_address(tensor))
        self._sizes.add(tensor.numel())

    def clear(self) -> None:
        """Forget all."""
        self._storages.clear()
        self._sizes.clear()

    def hold_one_of(self, gradients: list[torch.Tensor]) -> bool:
        """Whether a gradient was among them, by itself or in one array with all the others."""
        if any(_address(gradient) in self._storages for gradient in gradients):
            return True
        return len(gradients) > 1 and sum(g.numel() for g in gradients) in self._sizes


class StepDigests:
    """Notes, while it is entered, what every optimizer has before its step.

    Attributes:
        steps: One entry a step, of the training steps that have ended.
        are_averaged_by_code: Whether a gradient was handed to a collective before a step.
    """

    def __init__(self, model: nn.Module, handed: HandedTensors) -> None:
        self._parameters = named_parameters(model)
        self._names = {id(p): name for name, p in self._parameters.items()}
        self._handed = handed
        self._handle: RemovableHandle | None = None
        self._taken: list[tuple[list[str], dict[str, str]]] = []
        self.steps: list[RankStep] = []
        self.are_averaged_by_code = False

    def __enter__(self) -> Self:
        self._handle = register_optimizer_step_pre_hook(self._before_step)
        return self

    def __exit__(self, *_: object) -> None:
        if self._handle is not None:
            self._handle.remove()

    def end_batch(self) -> None:
        """Note the parameters as they are after the training step."""
        names = dict.fromkeys(name for own, _ in self._taken for name in own)
        after = {name: tensor_digest(self._parameters[name]) for name in names}
        for own, gradients in self._taken:
            changed = {name: after[name] for name in own}
            self.steps.append(RankStep(len(self.steps), gradients, changed))
        self._taken.clear()
        self._handed.clear()

    def _before_step(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        held = [p for group in optimizer.param_groups for p in group["params"]]
        own = {self._names[id(p)]: p for p in held if id(p) in self._names}
        if not own:
            return
        present = [p.grad for p in own.values() if p.grad is not None]
        self.are_averaged_by_code |= self._handed.hold_one_of(present)
        # A closure computes the gradients only later. The hook's args begin with the optimizer.
        has_closure = any(callable(value) for value in (*args[1:], *kwargs.values()))
        gradients = {} if has_closure else {n: gradient_digest(p) for n, p in own.items()}
        self._taken.append((list(own), gradients))


def named_parameters(model: nn.Module) -> dict[str, torch.nn.Parameter]:
    """The parameters by the names that they have in the user's own module."""
    own: Any = model.module if isinstance(model, DistributedDataParallel) else model
    return dict(own.named_parameters())


def wrappers_in(model: nn.Module) -> list[DistributedDataParallel]:
    """The model and the modules in it that average gradients over the ranks."""
    return [module for module in model.modules() if isinstance(module, DistributedDataParallel)]


def names_outside(
    parameters: dict[str, torch.nn.Parameter], wrappers: list[DistributedDataParallel]
) -> Iterator[str]:
    """The trainable parameters that none of the wrappers holds; nothing without a wrapper."""
    held = {id(p) for wrapper in wrappers for p in wrapper.parameters()}
    for name, parameter in parameters.items():
        if wrappers and parameter.requires_grad and id(parameter) not in held:
            yield name


def is_sharded(model: nn.Module) -> bool:
    """Whether each rank holds a part of the parameters only (FSDP, DeepSpeed, tensor parallel)."""
    names = {base.__name__ for module in model.modules() for base in type(module).__mro__}
    is_split = any(hasattr(p, "device_mesh") for p in model.parameters())
    return is_split or "FSDPModule" in names or not names.isdisjoint(SHARDING)


def awaited_by(wrapper: DistributedDataParallel) -> list[torch.nn.Parameter]:
    """The parameters whose gradients the wrapper averages."""
    named = wrapper.module.named_parameters()
    left_out = wrapper.parameters_to_ignore
    return [p for name, p in named if p.requires_grad and name not in left_out]


def gradient_digest(parameter: torch.nn.Parameter) -> str:
    """A digest of the gradient, "" where there is none."""
    gradient = parameter.grad
    if gradient is None:
        return ""
    if gradient.layout is torch.strided:
        return tensor_digest(gradient)
    return tensor_digest(gradient.to_dense())


def _address(tensor: torch.Tensor) -> int:
    return tensor.untyped_storage().data_ptr() if tensor.layout is torch.strided else id(tensor)
