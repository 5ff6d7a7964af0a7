"""A rank's side: take its pipes from tdebug's socket, then be a worker like any other."""

from __future__ import annotations

import os
import sys
from typing import NoReturn

from .child import serve
from .rank_link import ADDRESS, ask_for_pipes


def main() -> NoReturn:
    """Do the job that the parent sends; `RANK` and the like are the launcher's words."""
    orders, messages, printed, black_box = ask_for_pipes(
        os.environ.pop(ADDRESS), int(os.environ["RANK"])
    )
    _print_to(printed)
    serve(orders, messages, black_box, parent=os.getppid())


def _print_to(descriptor: int) -> None:
    """Print there from now on; the streams are made anew, since they knew the launcher's file."""
    for stream in (1, 2):
        os.dup2(descriptor, stream)
    os.close(descriptor)
    sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
    sys.stderr = os.fdopen(2, "w", encoding="utf-8", closefd=False)
