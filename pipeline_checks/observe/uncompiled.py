"""Run what `torch.compile` made as the Python that it was made from."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from contextlib import AbstractContextManager


def uncompiled() -> AbstractContextManager[object]:
    """Let compiled models and functions run eagerly, module by module.

    A compiled forward hides its modules from hooks, cannot be compiled at all while a watch's own
    hooks run in it, and takes longer to compile than everything else here takes to run.
    """
    # torch 2.6 brought the stance. Nothing is compiled where the compiler was not imported.
    set_stance = getattr(torch.compiler, "set_stance", None)
    if set_stance is None or "torch._dynamo" not in sys.modules:
        return nullcontext()
    stance: AbstractContextManager[object] = set_stance("force_eager")
    return stance
