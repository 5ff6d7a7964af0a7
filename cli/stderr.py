"""What is said on standard error."""

from __future__ import annotations

import sys


def say(text: str) -> None:
    """Write lines to stderr, made safe to show; what it cannot encode Python escapes there."""
    from ..pipeline_checks.reporters.printable import printable  # noqa: PLC0415 - not for --help

    sys.stderr.write(f"{printable(text)}\n")
    sys.stderr.flush()
