"""Whether the activations of a Trainer's model can be checkpointed, where that is asked for."""

from __future__ import annotations

import sys
from typing import Any

ENABLING = ("activation_checkpointing_enable", "gradient_checkpointing_enable")


def checkpointing_problem(trainer: Any) -> str:
    """Why `train()` raises when it turns checkpointing on; "" where it does not or is not asked."""
    args, model = trainer.args, trainer.model
    is_asked = any(
        getattr(args, f"{word}_checkpointing", False) for word in ("gradient", "activation")
    )
    is_its_own = type(trainer).train.__module__.startswith("transformers.")
    if not is_asked or not is_its_own or model is None:
        return ""
    name = type(model).__name__
    if not any(hasattr(model, method) for method in ENABLING):
        return f"{name} has no method gradient_checkpointing_enable"
    return f"{name} does not support it" if _refuses(model) else ""


def _refuses(model: Any) -> bool:
    """Whether it is a model of transformers that says so, with the methods of transformers."""
    kind = sys.modules["transformers"].PreTrainedModel
    if not isinstance(model, kind) or model.supports_gradient_checkpointing:
        return False
    methods = [getattr(type(model), method, None) for method in ENABLING]
    return all(
        method in {None, getattr(kind, n, None)}
        for n, method in zip(ENABLING, methods, strict=True)
    )
