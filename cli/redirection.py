"""Standard output kept for the report while the user's code runs in this process."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def stdout_to_stderr() -> Iterator[None]:
    """Send to stderr what is written to stdout, also by C code and child processes."""
    sys.stdout.flush()
    descriptor = sys.stdout.fileno()
    kept = os.dup(descriptor)
    os.dup2(sys.stderr.fileno(), descriptor)
    try:
        yield
    finally:
        sys.stdout.flush()
        os.dup2(kept, descriptor)
        os.close(kept)
