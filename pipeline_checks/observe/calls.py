"""Watch the calls of torch functions: losses, embeddings, and the one that raises."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import torch
from torch.overrides import TorchFunctionMode

from ..facts.calls import CallFacts, ConvolutionCall, EmbeddingCall, LossCall
from ..nested import leaves
from .embedding_calls import look_at_embedding
from .loss_calls import LOSSES, look_at_loss, value_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..facts.tensors import TensorFact
    from ..report import Location
    from .batch_context import BatchContext
    from .modules import ModuleWatch

MAX_CALLS = 200
EMBEDDINGS = {"embedding", "embedding_bag"}
CONVOLUTIONS = {"conv1d", "conv2d", "conv3d"}
CUTTING = {"detach", "item", "numpy", "tolist", "tensor", "__float__", "detach_"}


@dataclass
class FailedCall:
    """The innermost torch function that raised."""

    error: BaseException
    function: str
    operands: tuple[TensorFact, ...]
    module: str | None
    module_type: str
    module_sizes: dict[str, float]
    arguments: tuple[str, ...] = ()


@dataclass
class Cut:
    """A call in the user's code that took a tensor off the graph."""

    function: str
    location: Location | None


@dataclass
class CallRecord:
    """What the calls showed until now."""

    losses: list[LossCall] = field(default_factory=list)
    embeddings: list[EmbeddingCall] = field(default_factory=list)
    failed: FailedCall | None = None
    cut: Cut | None = None
    convolution: ConvolutionCall | None = None

    def facts(self, num_batches: int) -> CallFacts:
        """The calls as facts."""
        return CallFacts(tuple(self.losses), tuple(self.embeddings), num_batches, self.convolution)


class CallWatch(TorchFunctionMode):
    """Sees every torch function that the user's forward and loss call.

    Torch leaves the mode while a function runs, so that a loss is seen once, as the user called
    it, and not again as the functions that it is made of.
    """

    def __init__(self, context: BatchContext, modules: ModuleWatch, record: CallRecord) -> None:
        super().__init__()
        self.context, self.modules, self.record = context, modules, record

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        """Note what matters, then call the function."""
        kwargs = kwargs or {}
        name = getattr(func, "__name__", "")
        if name in LOSSES:
            return self._call_loss(name, func, args, kwargs)
        if name in EMBEDDINGS:
            self._note_embedding(args, kwargs)
        elif name in CONVOLUTIONS and self.record.convolution is None:
            self._note_convolution(name, args)
        elif name in CUTTING:
            self._note_cut(name, args)
        try:
            return func(*args, **kwargs)
        except Exception as error:
            self._note_failure(error, name, args, kwargs)
            raise

    def _call_loss(
        self, name: str, func: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        call = None
        if len(self.record.losses) < MAX_CALLS:
            call = look_at_loss(name, args, kwargs, self.context, self.modules)
        try:
            result = func(*args, **kwargs)
        except Exception as error:
            if call is not None:
                self.record.losses.append(call)
            self._note_failure(error, name, args, kwargs)
            raise
        if call is not None:
            self.record.losses.append(value_of(call, result))
        return result

    def _note_embedding(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        if len(self.record.embeddings) < MAX_CALLS:
            call = look_at_embedding(args, kwargs, self.context, self.modules)
            if call is not None:
                self.record.embeddings.append(call)

    def _note_convolution(self, name: str, args: tuple[Any, ...]) -> None:
        if args and isinstance(args[0], torch.Tensor):
            image = self.context.fact(args[0], "input")
            self.record.convolution = ConvolutionCall(self.modules.innermost[0] or "", name, image)

    def _note_cut(self, name: str, args: tuple[Any, ...]) -> None:
        first = args[0] if args else None
        if isinstance(first, torch.Tensor) and first.requires_grad:
            location = self.modules.code.caller()
            if location is not None and not location.file.startswith(("torch/", "transformers/")):
                self.record.cut = Cut(name, location)

    def _note_failure(
        self, error: BaseException, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> None:
        failed = self.record.failed
        if failed is not None and failed.error is error:
            return
        self.record.failed = describe_failure(error, name, args, kwargs, self.context, self.modules)


def describe_failure(
    error: BaseException,
    name: str,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    context: BatchContext,
    modules: ModuleWatch,
) -> FailedCall:
    """The function that raised, with its operands named."""
    from .model import layer_sizes  # noqa: PLC0415 - only when something failed

    named = [(role, value) for role, value in zip(_roles(name), args, strict=False)]
    named += list(kwargs.items())
    operands = []
    for role, value in named:
        for tensor in value if isinstance(value, (list, tuple)) else [value]:
            if isinstance(tensor, torch.Tensor):
                operands.append(context.fact(tensor, role, with_range=tensor.numel() < 1_000_000))
    path, module = modules.innermost
    top = modules.stack[-1] if modules.stack else None
    shown = top if top is not None and id(top) not in modules.names else module
    return FailedCall(
        error,
        name,
        tuple(operands),
        path,
        type(shown).__name__ if shown is not None else "",
        layer_sizes(shown) if shown is not None else {},
        tuple(_other_arguments(args, kwargs)),
    )


def _other_arguments(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Iterator[str]:
    """The arguments that hold no tensor, as Python writes them."""
    for key, value in [("", a) for a in args] + [(f"{k}=", v) for k, v in kwargs.items()]:
        if not any(isinstance(leaf, torch.Tensor) for _, leaf in leaves(value)):
            yield f"{key}{value!r}"[:100]


ROLES = {
    "linear": ("input", "weight", "bias"),
    "conv1d": ("input", "weight", "bias"),
    "conv2d": ("input", "weight", "bias"),
    "conv3d": ("input", "weight", "bias"),
    "embedding": ("input", "weight"),
    "batch_norm": ("input", "running_mean", "running_var", "weight", "bias"),
    "layer_norm": ("input", "", "weight", "bias"),
    **dict.fromkeys(LOSSES, ("input", "target")),
}


def _roles(name: str) -> tuple[str, ...]:
    return ROLES.get(name, ("first", "second", "third", "fourth"))
