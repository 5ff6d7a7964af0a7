"""Writing to a stream, each line with the rank in front where there are several."""

from __future__ import annotations

import sys
from typing import TextIO

from .watched_model import current_rank


class LinePrinter:
    """Prints text to a stream.

    Args:
        file: Where to; None for whatever `sys.stdout` is at the time of printing.
    """

    def __init__(self, file: TextIO | None) -> None:
        self._file = file

    def print(self, text: str) -> None:
        """Print text; in a distributed run each line begins with the rank."""
        rank = current_rank()
        if rank is not None:
            text = "\n".join(f"[rank {rank}] {line}" for line in text.split("\n"))
        print(text, file=self._file or sys.stdout, flush=rank is not None)
