"""Watch the calls of torch functions: losses, embeddings, and the one that raises."""

from __future__ import annotations

import sys
import weakref
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import torch
from torch.overrides import TorchFunctionMode

from ..facts.calls import (
    AddedMask,
    AttentionCall,
    CallFacts,
    ConvolutionCall,
    EmbeddingCall,
    LossCall,
    SpreadCall,
)
from .added_masks import look_at_added_mask
from .attention_calls import ATTENTIONS, look_at_attention
from .difference_calls import DIFFERENCES, look_at_difference
from .embedding_calls import look_at_embedding
from .failed_call import FailedCall, TorchCall, describe_failure
from .gradient_terms import GradientTerms
from .graph import leaf_tensors
from .loss_calls import look_at_loss, value_of
from .loss_signatures import LOSSES
from .loss_weights import LossResult, result_of
from .product_calls import PRODUCTS, REDUCTIONS, Product, look_at_product
from .transforms import is_transforming
from .user_code import is_own

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ..report import Location
    from .batch_context import BatchContext
    from .modules import ModuleWatch

MAX_CALLS = 200
# Every layer is given the same mask, and every batch is masked by the same code.
MAX_ATTENTIONS = 12
EMBEDDINGS = {"embedding", "embedding_bag"}
CONVOLUTIONS = {"conv1d", "conv2d", "conv3d"}
LIBRARIES = ("torch/", "transformers/")
# Of these, what is made to go on computing with; the others make numbers to be shown.
OFF_THE_GRAPH = {"detach", "detach_", "numpy"}
CUTTING = {"detach", "item", "numpy", "tolist", "tensor", "__float__", "detach_"}


@dataclass
class Cut:
    """A call in the user's code that took a tensor off the graph."""

    function: str
    location: Location | None
    parameters: tuple[str, ...] = ()


@dataclass
class CallRecord:
    """What the calls showed until now."""

    losses: list[LossCall] = field(default_factory=list)
    embeddings: list[EmbeddingCall] = field(default_factory=list)
    failed: FailedCall | None = None
    cut: Cut | None = None
    fresh_cut: Cut | None = None
    cuts: dict[tuple[str, Location], Cut] = field(default_factory=dict)
    results: list[LossResult] = field(default_factory=list)
    convolution: ConvolutionCall | None = None
    spread: SpreadCall | None = None
    product: Product | None = None
    attentions: list[AttentionCall] = field(default_factory=list)
    num_attentions: int = 0
    added_mask: AddedMask | None = None
    gradients: GradientTerms = field(default_factory=GradientTerms)
    has_foreign_parameters: bool = False

    def take_fresh_cut(self) -> Cut | None:
        """The last tensor taken off the graph to go on with, since this was asked before."""
        found, self.fresh_cut = self.fresh_cut, None
        return found

    def facts(self, num_batches: int) -> CallFacts:
        """The calls as facts."""
        losses, embeddings = tuple(self.losses), tuple(self.embeddings)
        return CallFacts(
            losses,
            embeddings,
            num_batches,
            self.convolution,
            self.spread,
            tuple(self.attentions),
            self.added_mask,
            self.gradients.found,
            self.has_foreign_parameters,
        )


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
        call = TorchCall(getattr(func, "__name__", ""), args, kwargs or {})
        if is_transforming():
            return func(*call.args, **call.kwargs)
        if call.name in LOSSES:
            return self._call_loss(func, call)
        if call.name in EMBEDDINGS:
            self._note_embedding(call)
        elif call.name in ATTENTIONS:
            self._note_attention(call)
        elif call.name in CONVOLUTIONS and self.record.convolution is None:
            self._note_convolution(call)
        elif call.name in DIFFERENCES and self.record.spread is None:
            self.record.spread = look_at_difference(call.args, self.context, self.modules)
        elif call.name in CUTTING:
            self._note_cut(call)
        elif call.name in PRODUCTS and self.record.spread is None:
            return self._call_product(func, call)
        elif call.name in REDUCTIONS and self.record.product is not None:
            self.record.spread = self.record.spread or self.record.product.spread_if_reduced(call)
        return self._do(func, call)

    def _do(self, func: Callable[..., Any], call: TorchCall) -> Any:
        try:
            result = func(*call.args, **call.kwargs)
        except Exception as error:
            failed = self.record.failed
            if failed is None or failed.error is not error:
                self.record.failed = describe_failure(error, call, self.context, self.modules)
            raise
        self.record.gradients.look(call, result, self.modules)
        if not self.record.has_foreign_parameters and self.context.names:
            self.record.has_foreign_parameters = _has_foreign(call, self.context.names)
        return result

    def _call_loss(self, func: Callable[..., Any], call: TorchCall) -> Any:
        seen = None
        if len(self.record.losses) < MAX_CALLS:
            seen = look_at_loss(call.name, call.args, call.kwargs, self.context, self.modules)
        try:
            result = self._do(func, call)
        except Exception:
            if seen is not None:
                self.record.losses.append(seen)
            raise
        if seen is not None:
            self.record.losses.append(value_of(seen, result))
            self.record.results += result_of(len(self.record.losses) - 1, result)
        return result

    def _call_product(self, func: Callable[..., Any], call: TorchCall) -> Any:
        spread = look_at_product(call, self.context, self.modules)
        result = self._do(func, call)
        if spread is not None:
            self.record.product = Product(weakref.ref(result), spread)
        return result

    def _note_embedding(self, call: TorchCall) -> None:
        if len(self.record.embeddings) < MAX_CALLS:
            seen = look_at_embedding(call.args, call.kwargs, self.context, self.modules)
            if seen is not None:
                self.record.embeddings.append(seen)

    def _note_attention(self, call: TorchCall) -> None:
        if self.record.num_attentions < MAX_ATTENTIONS:
            self.record.num_attentions += 1
            seen = look_at_attention(call, self.context, self.modules)
            self.record.attentions += [] if seen is None else [seen]
            added = self.record.added_mask
            look = look_at_added_mask
            self.record.added_mask = added or look(call, self.context, self.modules)

    def _note_convolution(self, call: TorchCall) -> None:
        if call.args and isinstance(call.args[0], torch.Tensor):
            image, module = self.context.fact(call.args[0], "input"), self.modules.innermost[0]
            self.record.convolution = ConvolutionCall(module or "", call.name, image)

    def _note_cut(self, call: TorchCall) -> None:
        first = call.args[0] if call.args else None
        # Two frames up is who called the function: an observer of ours may detach what it looks at.
        is_ours = is_own(sys._getframe(2).f_code.co_filename)  # noqa: SLF001 - the only way to ask
        if isinstance(first, torch.Tensor) and first.requires_grad and not is_ours:
            location = self.modules.code.caller()
            if location is not None and not location.file.startswith(LIBRARIES):
                self.record.cut = self._cut_at(location, call.name, first)
                if call.name in OFF_THE_GRAPH:
                    self.record.fresh_cut = self.record.cut

    def _cut_at(self, location: Location, function: str, tensor: torch.Tensor) -> Cut:
        """The cut at this line; what the tensor hung on is looked up once, as the graph is long."""
        known = self.record.cuts.get((function, location))
        if known is None:
            leaves = [tensor, *leaf_tensors(tensor)] if function in OFF_THE_GRAPH else []
            names = [self.context.names.get(id(leaf), "") for leaf in leaves]
            known = Cut(function, location, tuple(name for name in names if name))
            self.record.cuts[function, location] = known
        return known


def _has_foreign(call: TorchCall, names: Mapping[int, str]) -> bool:
    """Whether it is given a parameter, alone or in a list, that has no name in the model."""
    for value in (*call.args, *call.kwargs.values()):
        for one in value if isinstance(value, list | tuple) else (value,):
            if isinstance(one, torch.nn.Parameter) and id(one) not in names:
                return True
    return False
