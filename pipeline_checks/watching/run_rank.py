"""What each rank runs for `tdebug overflow --nproc`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import torch

from ..events import Progress, StageBegan
from ..report import Stage
from ..stages.rank_meeting import joined_ranks
from .other_ranks import OtherRanks
from .run import run_watched

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..events import Event
    from ..spec import WorkerSpec


# A rank that lives may take as long to come as torch lets it; one that is gone is noticed at once.
MOST_PATIENCE_S = 1800.0


def run_watched_rank(spec: WorkerSpec) -> Iterator[Event]:
    """Train this rank's part under watch; the launcher's environment says which rank it is."""
    yield StageBegan(Stage.LOAD)
    yield Progress(Stage.LOAD, "joining the process group")
    # Half of the limit of a stage, so that who is missing is known before the rank is ended.
    patience_s = min(spec.timeout / 2, MOST_PATIENCE_S)
    device = _device_of_group(spec.device)
    with joined_ranks(device, spec.timeout, start_s=patience_s) as meeting:
        yield from run_watched(spec, others=OtherRanks(meeting.roll_call, patience_s))


def _device_of_group(name: str) -> str:
    """What the process group is to be made for.

    nccl refuses ranks that share a GPU; gloo, made for the CPU, takes their tensors too.
    """
    is_shared = torch.cuda.device_count() < int(os.environ["LOCAL_WORLD_SIZE"])
    return "cpu" if is_shared or name == "cpu" else "cuda"
