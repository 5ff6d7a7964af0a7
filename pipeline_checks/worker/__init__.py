"""The worker: a process of its own for the user's code, so that nothing it does ends tdebug.

`run_in_worker` starts it and yields its events; `run_in_ranks` starts several besides.

The parent's side: `process` (start, end), `pipes`, `listen` (messages to events), `deaths`,
`black_box`, `output`, `leftovers`; for ranks `launch`, `rank_link`, `rank_process`, `rank_crowd`,
`run_ranks`, and `launcher`, which is a process of its own. The child's side: `child` (or
`rank_child`), `teller`, `link`, `recorder`, `doing`, `reserve`, `ties`; it imports neither torch
nor pydantic before the user's code, which is why the public names are loaded lazily.

Known limits. On Linux the worker dies with its parent even if that is killed, but processes that
the worker itself has started then live on. Elsewhere a process that left the worker's process group
is not found. There is no worker on Windows.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .errors import WorkerCrashError
    from .run import run_in_worker
    from .run_ranks import join_ranks, run_in_ranks

__all__ = ["WorkerCrashError", "join_ranks", "run_in_ranks", "run_in_worker"]

_HOMES = {
    "WorkerCrashError": ".errors",
    "join_ranks": ".run_ranks",
    "run_in_ranks": ".run_ranks",
    "run_in_worker": ".run",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name], __name__), name)
