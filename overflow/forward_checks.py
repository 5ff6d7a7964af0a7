"""The question asked at the end of every module's forward: is everything it touched finite?"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from .quick_check import DeferredChecks, FiniteTensors, is_minus_inf_only, signed_range
from .running import Suspect
from .values import iterate_activations

if TYPE_CHECKING:
    from collections.abc import Iterator

    from torch import Tensor

    from .frames import ModuleCall


class ForwardChecks:
    """Looks at weights, buffers, inputs and outputs of modules.

    Attributes:
        finite_weights: Parameters found finite since the last optimizer step.
        intended: Values known to hold -inf on purpose, by module and name.
    """

    def __init__(self) -> None:
        self.finite_weights = FiniteTensors()
        self.intended: set[tuple[str, str]] = set()

    def find_suspect(self, call: ModuleCall, finite: FiniteTensors) -> Suspect | None:
        """Look at once, and give the first value that is neither finite nor known to be intended.

        Args:
            call: The finished forward.
            finite: Tensors found finite earlier in the same outermost forward.
        """
        for name, tensor, known in self._iterate_unknown(call, finite):
            bounds = signed_range(tensor)
            if bounds is None or (math.isfinite(bounds[0]) and math.isfinite(bounds[1])):
                known.add(tensor)
                continue
            suspect = Suspect(call.name, type(call.module).__name__, name, *bounds)
            if not self.is_intended(suspect):
                return suspect
            known.add(tensor)
        return None

    def defer(
        self, call: ModuleCall, finite: FiniteTensors, deferred: DeferredChecks[Suspect]
    ) -> None:
        """Start measuring and wait for nothing; the answers are fetched later."""
        for name, tensor, known in self._iterate_unknown(call, finite):
            deferred.add(tensor, Suspect(call.name, type(call.module).__name__, name))
            known.add(tensor)

    def is_intended(self, suspect: Suspect) -> bool:
        """Tell whether a value was seen before to hold -inf on purpose."""
        return suspect.key in self.intended and is_minus_inf_only(suspect.low, suspect.high)

    def _iterate_unknown(
        self, call: ModuleCall, finite: FiniteTensors
    ) -> Iterator[tuple[str, Tensor, FiniteTensors]]:
        """Yield the values that were not measured yet, and where to note them as finite."""
        module, weights = call.module, self.finite_weights
        for name, parameter in module._parameters.items():  # noqa: SLF001 - named_parameters is slow
            if parameter is not None and not weights.has(parameter):
                yield name, parameter, weights
        for name, buffer in module._buffers.items():  # noqa: SLF001 - likewise
            if buffer is not None and buffer.is_floating_point():
                # a causal mask kept as a buffer is -inf by intention, whoever made it
                self.intended.add((call.name, name))
                yield name, buffer, finite
        for name, tensor in iterate_activations(call.args, call.kwargs, call.output):
            if not finite.has(tensor):
                yield name, tensor, finite
