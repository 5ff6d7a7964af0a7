"""Modules of torch whose output is finite wherever their input is, so that it need not be read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torch import Tensor, nn

if TYPE_CHECKING:
    from .frames import ModuleCall
    from .quick_check import FiniteTensors

# |f(x)| <= max(|x|, 6), computed without a larger number in between. Not among them: Dropout and
# LeakyReLU, which scale; GELU, which doubles x first; Softmax, which gives nan for a row of -inf.
_BOUNDED = frozenset({nn.ReLU, nn.ReLU6, nn.Sigmoid, nn.Tanh, nn.SiLU, nn.Identity})


def keeps_finite(call: ModuleCall, finite: FiniteTensors) -> bool:
    """Tell whether a module's output is known to be finite since its input was found so.

    Args:
        call: The finished forward of a module.
        finite: Tensors found finite earlier in the same outermost forward.
    """
    module = call.module
    if type(module) not in _BOUNDED or not _is_plain(module) or len(call.args) != 1 or call.kwargs:
        return False
    given = call.args[0]
    if not isinstance(given, Tensor) or not given.is_floating_point():
        return False  # tanh of a complex number has poles
    writes = 1 if getattr(module, "inplace", False) else 0
    return finite.has(given, writes_since=writes)


def _is_plain(module: nn.Module) -> bool:
    """Tell whether nothing but torch's own forward made the output: no patch, no other hook."""
    return len(module._forward_hooks) == 1 and "forward" not in module.__dict__  # noqa: SLF001 - hot
