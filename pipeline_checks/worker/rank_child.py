"""A rank's side: take its pipes from tdebug's socket, then be a worker like any other."""

from __future__ import annotations

import os
from typing import NoReturn

from .child import serve
from .rank_link import ADDRESS, ask_for_pipes


def main() -> NoReturn:
    """Do the job that the parent sends; `RANK` and the like are the launcher's words."""
    orders, messages, printed, black_box = ask_for_pipes(
        os.environ.pop(ADDRESS), int(os.environ["RANK"])
    )
    for stream in (1, 2):
        os.dup2(printed, stream)
    os.close(printed)
    serve(orders, messages, black_box, parent=os.getppid())
