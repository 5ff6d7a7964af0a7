"""Run one function of a test file on every rank: FOLDER NUM_RANKS INIT_METHOD, and a task in JSON.

torch is imported once, and every rank is a fork of that. Each leaves `result.RANK` in the folder
if its function returned, `stderr.RANK`, and `code.RANK` when it has ended.
"""

import json
import os
import runpy
import signal
import sys
from datetime import timedelta
from pathlib import Path

import torch
import torch.distributed as dist


def main(folder, num_ranks, init_method, task):
    folder, num_ranks, task = Path(folder), int(num_ranks), json.loads(task)
    ranks_by_pid = {}
    for rank in range(num_ranks):
        pid = os.fork()
        if pid == 0:
            return run_rank(folder, rank, num_ranks, init_method, task)
        ranks_by_pid[pid] = rank
    while ranks_by_pid:
        pid, status = os.wait()
        code = os.waitstatus_to_exitcode(status)
        (folder / f"code.{ranks_by_pid.pop(pid)}").write_text(str(code))
    return None


def run_rank(folder, rank, num_ranks, init_method, task):
    signal.alarm(task["limit_s"])  # no rank outlives its test, whatever happens to pytest
    with (folder / f"stderr.{rank}").open("wb") as stderr:
        os.dup2(stderr.fileno(), 2)
    os.environ |= {key: values[rank] for key, values in task["environment"].items()}
    torch.set_num_threads(1)
    dist.init_process_group(
        "gloo",
        init_method=init_method,
        rank=rank,
        world_size=num_ranks,
        timeout=timedelta(seconds=60),
    )
    value = runpy.run_path(task["file"])[task["function"]](**task["arguments"])
    result = folder / f"result.{rank}.part"
    result.write_text(json.dumps(value), encoding="utf-8")
    result.rename(folder / f"result.{rank}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main(*sys.argv[1:])
