"""Clipping and accumulation, as the pipeline's own Trainer says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..training import LoopArguments

if TYPE_CHECKING:
    import torch

    from ..pipeline.parts import Pipeline


def loop_arguments(pipeline: Pipeline, precision: str, device: torch.device) -> LoopArguments:
    """What the loop does between two batches: a Trainer says it, else there is none of it."""
    norm, num_batches = _said_by_trainers(pipeline)
    return LoopArguments(
        precision=precision,
        device=str(device),
        max_grad_norm=norm,
        gradient_accumulation_steps=num_batches,
    )


def _said_by_trainers(pipeline: Pipeline) -> tuple[float, int]:
    if pipeline.trainer is not None:
        said = pipeline.trainer.args
        return float(said.max_grad_norm or 0), int(said.gradient_accumulation_steps)
    lightning: Any = pipeline.lightning
    if lightning is None:
        return 0.0, 1
    algorithm = str(getattr(lightning, "gradient_clip_algorithm", None) or "norm")
    clips_norm = algorithm.endswith("norm")  # by value it cuts each number for itself
    norm = (getattr(lightning, "gradient_clip_val", None) or 0) if clips_norm else 0
    return float(norm), int(getattr(lightning, "accumulate_grad_batches", 1))
