"""What is needed to go back to a point of the training, in one folder."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import torch

from .rng_state import RngState, capture_rng_state, restore_rng_state
from .trainer_state import TrainerState

if TYPE_CHECKING:
    from .training_parts import TrainingParts

_PARTS, _STATE = "parts.pt", "trainer_state.json"


def save_checkpoint(
    parts: TrainingParts, state: TrainerState, output_dir: str | os.PathLike[str]
) -> Path:
    """Write model, optimizers, schedulers, scaler and random numbers to `checkpoint-<update>`.

    The folder appears whole or not at all; one of that name is replaced.

    Returns:
        The folder.
    """
    folder = Path(output_dir) / f"checkpoint-{state.global_step}"
    unfinished = folder.with_name(f"{folder.name}.{os.getpid()}.unfinished")
    unfinished.mkdir(parents=True)
    try:
        torch.save(
            {
                "model": parts.model.state_dict(),
                "optimizers": [optimizer.state_dict() for optimizer in parts.optimizers],
                "schedulers": [scheduler.state_dict() for scheduler in parts.schedulers],
                "scaler": parts.scaler.state_dict() if parts.scaler else {},
                "rng": capture_rng_state().to_dict(),
            },
            unfinished / _PARTS,
        )
        state.save_to_json(unfinished / _STATE)
        if folder.exists():
            shutil.rmtree(folder)
        unfinished.rename(folder)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    return folder


def load_checkpoint(parts: TrainingParts, folder: str | os.PathLike[str]) -> TrainerState:
    """Put the parts and the random numbers back to a checkpoint; gives the state of that time.

    The state can be given to a new `TrainingLoop`, which then begins a new epoch: which batches of
    the epoch had been seen is not kept.

    Raises:
        FileNotFoundError: There is no such checkpoint.
        ValueError: It was written with another number of optimizers or schedulers.
    """
    saved = torch.load(Path(folder) / _PARTS, map_location="cpu", weights_only=True)
    for kind, live in (("optimizers", parts.optimizers), ("schedulers", parts.schedulers)):
        if len(saved[kind]) != len(live):
            raise ValueError(f"{folder} holds {len(saved[kind])} {kind}, there are {len(live)} now")
    parts.model.load_state_dict(saved["model"])
    for optimizer, values in zip(parts.optimizers, saved["optimizers"], strict=True):
        optimizer.load_state_dict(values)
    for scheduler, values in zip(parts.schedulers, saved["schedulers"], strict=True):
        scheduler.load_state_dict(values)
    if parts.scaler and saved["scaler"]:
        parts.scaler.load_state_dict(saved["scaler"])
    restore_rng_state(RngState(**saved["rng"]))
    return TrainerState.load_from_json(Path(folder) / _STATE)
