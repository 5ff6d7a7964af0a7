"""Whether a launcher of the user's (torchrun, accelerate launch) has started this process."""

from __future__ import annotations

import os
from dataclasses import dataclass

MARK = "TORCHELASTIC_RUN_ID"  # set by torch's elastic launcher, on which the others build


@dataclass(frozen=True)
class LaunchedRank:
    """The place of this process among those that a launcher has started.

    Attributes:
        rank: Its rank.
        num_ranks: How many there are.
    """

    rank: int
    num_ranks: int

    @property
    def reports(self) -> bool:
        """Whether this is the rank that shows the report of all."""
        return self.rank == 0


def find_launched_rank() -> LaunchedRank | None:
    """The place of this process; None where nobody launched it with others."""
    if MARK not in os.environ:
        return None
    num_ranks = int(os.environ.get("WORLD_SIZE", "1"))
    return LaunchedRank(int(os.environ.get("RANK", "0")), num_ranks) if num_ranks > 1 else None
