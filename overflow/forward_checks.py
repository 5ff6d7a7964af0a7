"""The question asked of a forward: is everything that it touches finite?

Weights are asked before the outermost forward, those that changed; inputs and outputs at the end of
each module; buffers after the outermost forward. Asking in groups is what makes it cheap.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from torch import Tensor
from torch.nn.parameter import is_lazy

from .bounded_modules import keeps_finite
from .group_check import find_non_finite
from .quick_check import DeferredChecks, FiniteTensors, is_finite, is_minus_inf_only, signed_range
from .running import Suspect
from .values import iterate_activations

if TYPE_CHECKING:
    from collections.abc import Iterable

    from torch import nn

    from .frames import ModuleCall

_Named = list[tuple[Suspect, "Tensor"]]


class ForwardChecks:
    """Looks at weights, buffers, inputs and outputs of modules.

    Args:
        names: The modules with their qualified names.

    Attributes:
        finite_weights: Parameters found finite since the last optimizer step.
        intended: Values known to hold -inf on purpose, by module and name.
    """

    def __init__(self, names: dict[nn.Module, str]) -> None:
        self.finite_weights = FiniteTensors()
        self.intended: set[tuple[str, str]] = set()
        self._names = names
        self._inside: dict[nn.Module, list[nn.Module]] = {}

    def find_suspect(self, call: ModuleCall, finite: FiniteTensors) -> Suspect | None:
        """Look at inputs and outputs at once, and give the first that is suspicious.

        Args:
            call: The finished forward.
            finite: Tensors found finite earlier in the same outermost forward.
        """
        if keeps_finite(call, finite):
            if isinstance(call.output, Tensor):
                finite.add(call.output)
            return None
        for name, tensor in iterate_activations(call.args, call.kwargs, call.output):
            if finite.has(tensor):
                continue
            bounds = None if is_finite(tensor) else signed_range(tensor)
            if bounds is not None:
                suspect = Suspect(call.name, type(call.module).__name__, name, *bounds)
                if not self.is_intended(suspect):
                    return suspect
            finite.add(tensor)
        return None

    def defer(
        self, call: ModuleCall, finite: FiniteTensors, deferred: DeferredChecks[Suspect]
    ) -> None:
        """Start measuring inputs and outputs and wait for nothing."""
        for name, tensor in iterate_activations(call.args, call.kwargs, call.output):
            if not finite.has(tensor):
                deferred.add(tensor, Suspect(call.name, type(call.module).__name__, name))
                finite.add(tensor)

    def find_suspect_weight(self, outermost: nn.Module) -> Suspect | None:
        """Look at the parameters below a module that were not measured since they changed."""
        return self._find_in_group(self._take_unknown_weights(outermost))

    def defer_weights(self, outermost: nn.Module, deferred: DeferredChecks[Suspect]) -> None:
        """Start measuring those parameters and wait for nothing."""
        for suspect, tensor in self._take_unknown_weights(outermost):
            deferred.add(tensor, suspect)

    def find_suspect_buffer(self, outermost: nn.Module) -> Suspect | None:
        """Look at the buffers below a module: running statistics move no version counter."""
        return self._find_in_group(self._list_buffers(outermost))

    def defer_buffers(self, outermost: nn.Module, deferred: DeferredChecks[Suspect]) -> None:
        """Start measuring the buffers and wait for nothing."""
        for suspect, tensor in self._list_buffers(outermost):
            deferred.add(tensor, suspect)

    def is_intended(self, suspect: Suspect) -> bool:
        """Tell whether a value is known to hold -inf on purpose.

        A buffer of -inf is a mask, whoever made it.
        """
        if not is_minus_inf_only(suspect.low, suspect.high):
            return False
        return suspect.kind == "buffer" or suspect.key in self.intended

    def _find_in_group(self, named: _Named) -> Suspect | None:
        for i in find_non_finite([tensor for _, tensor in named]):
            known, tensor = named[i]
            bounds = signed_range(tensor)
            if bounds is None:
                continue
            suspect = known.measured(*bounds)
            if not self.is_intended(suspect):
                self.finite_weights.clear()
                return suspect
            self.intended.add(suspect.key)
        return None

    def _take_unknown_weights(self, outermost: nn.Module) -> _Named:
        weights = self.finite_weights
        unknown: _Named = []
        for module in self._modules_inside(outermost):
            for name, parameter in module._parameters.items():  # noqa: SLF001 - named_parameters is slow
                if parameter is None or weights.has(parameter):
                    continue
                if not is_lazy(parameter):  # a lazy module's has no values before its first forward
                    weights.add(parameter)
                    unknown.append((self._suspect(module, name, "weight"), parameter))
        return unknown

    def _list_buffers(self, outermost: nn.Module) -> _Named:
        return [
            (self._suspect(module, name, "buffer"), buffer)
            for module in self._modules_inside(outermost)
            for name, buffer in module._buffers.items()  # noqa: SLF001 - named_buffers is slow
            if buffer is not None
            and not is_lazy(buffer)
            and (buffer.is_floating_point() or buffer.is_complex())
        ]

    def _suspect(self, module: nn.Module, name: str, kind: Literal["weight", "buffer"]) -> Suspect:
        return Suspect(self._names[module], type(module).__name__, name, kind=kind)

    def _modules_inside(self, outermost: nn.Module) -> Iterable[nn.Module]:
        if outermost not in self._inside:
            inside = [module for module in outermost.modules() if module in self._names]
            self._inside[outermost] = inside
        return self._inside[outermost]
