"""The process that starts the ranks through torch's elastic launcher, and tells how each ended.

It is one of its own, so that the launcher's handlers of signals, its log and its tracebacks stay
out of the user's terminal, and so that all can be ended at once.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from typing import NoReturn

from .process import PROGRAM
from .ties import die_with_parent

RUN_ID = "tdebug"
# Ranks that others were ended for end at SIGTERM, or, where that is blocked, soon after.
SHUTDOWN_S = 3


def main() -> NoReturn:
    """Start the ranks and wait for their end.

    The arguments of the process: the number of ranks, the file descriptor for the word how they
    ended (JSON: the exit code of each rank that failed, by rank), and the parent's process id.
    """
    num_ranks, word, parent = map(int, sys.argv[1:])
    die_with_parent(parent)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # only the parent gets Ctrl-C
    failures = launch(num_ranks)
    os.write(word, json.dumps(failures).encode() + b"\n")
    os._exit(0)


def launch(num_ranks: int) -> dict[int, int]:
    """Run the ranks; the exit code of each that failed, minus the signal where one ended it."""
    from torch.distributed.elastic.multiprocessing.errors import (  # noqa: PLC0415 - seconds to import
        ChildFailedError,
    )
    from torch.distributed.launcher.api import LaunchConfig, elastic_launch  # noqa: PLC0415

    os.environ.setdefault("OMP_NUM_THREADS", "1")  # as torchrun does
    os.environ["TORCH_ELASTIC_SHUTDOWN_TIMEOUT"] = str(SHUTDOWN_S)
    config = LaunchConfig(
        min_nodes=1,
        max_nodes=1,
        nproc_per_node=num_ranks,
        run_id=RUN_ID,
        rdzv_backend="c10d",
        rdzv_endpoint="127.0.0.1:0",
        local_addr="127.0.0.1",
        max_restarts=0,
    )
    try:
        elastic_launch(config, sys.executable)("-c", PROGRAM.format(module="rank_child"))
    except ChildFailedError as error:
        return {rank: failure.exitcode for rank, failure in error.failures.items()}
    return {}
