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
    if spec.device == "cuda" and torch.cuda.is_available():
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]) % torch.cuda.device_count())
    # Half of the limit of a stage, so that who is missing is known before the rank is ended.
    patience_s = min(spec.timeout / 2, MOST_PATIENCE_S)
    with joined_ranks(spec.device, spec.timeout, start_s=patience_s) as meeting:
        yield from run_watched(spec, others=OtherRanks(meeting.roll_call, patience_s))
