"""Fork ranks that run one function of a test file, for each task that comes on standard input.

torch is imported once for all tests, and every rank is a fork of that. A task is a line of JSON;
the answer is the id of the session that its ranks form. Each rank leaves `stderr.RANK` in the
task's folder, `result.RANK` if its function returned, and `code.RANK` when it has ended; `done`
comes last. The end of the input ends this process.
"""

import atexit
import json
import os
import runpy
import signal
import sys
from datetime import timedelta
from pathlib import Path

import torch
import torch.distributed as dist

import tdebug.gather  # noqa: F401  # once for all ranks


def main():
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for the sessions
    for line in sys.stdin:
        pid = os.fork()
        if pid == 0:
            os.setsid()
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            return run_session(json.loads(line))
        print(pid, flush=True)
    return None


def run_session(task):
    folder = Path(task["folder"])
    function = runpy.run_path(task["file"])[task["function"]]
    ranks_by_pid = {}
    for rank in range(task["num_ranks"]):
        pid = os.fork()
        if pid == 0:
            return run_rank(folder, rank, function, task)
        ranks_by_pid[pid] = rank
    while ranks_by_pid:
        pid, status = os.wait()
        code = os.waitstatus_to_exitcode(status)
        (folder / f"code.{ranks_by_pid.pop(pid)}").write_text(str(code))
    return (folder / "done").touch()


def run_rank(folder, rank, function, task):
    signal.alarm(task["limit_s"])  # no rank outlives its test, whatever happens to pytest
    with (folder / f"stderr.{rank}").open("wb") as stderr:
        os.dup2(stderr.fileno(), 2)
    os.environ |= {key: values[rank] for key, values in task["environment"].items()}
    torch.set_num_threads(1)
    dist.init_process_group(
        "gloo",
        init_method=task["init_method"],
        rank=rank,
        world_size=task["num_ranks"],
        timeout=timedelta(seconds=60),
    )
    value = function(**task["arguments"])
    part = folder / f"result.{rank}.part"
    part.write_text(json.dumps(value), encoding="utf-8")
    part.rename(folder / f"result.{rank}")
    dist.destroy_process_group()
    # After all threads have ended; what the interpreter then tears down of torch takes a second.
    atexit.register(os._exit, 0)


if __name__ == "__main__":
    main()
