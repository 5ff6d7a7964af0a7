"""Standard output kept for the report while the user's code runs in this process."""

from __future__ import annotations

import os
import sys
from contextlib import closing, contextmanager, suppress
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from ..pipeline_checks.events import Event


@contextmanager
def stdout_to_stderr() -> Iterator[None]:
    """Send to stderr what is written to stdout, also by C code and child processes.

    Afterwards both streams are there again, whatever the user's code has done to them.
    """
    out, err = sys.stdout, sys.stderr
    out.flush()
    kept = [(stream.fileno(), os.dup(stream.fileno())) for stream in (out, err)]
    os.dup2(err.fileno(), out.fileno())
    try:
        yield
    finally:
        with suppress(OSError, ValueError):  # the user's code may have closed it
            out.flush()
        for descriptor, copy in kept:
            os.dup2(copy, descriptor)
            os.close(copy)
        sys.stdout, sys.stderr = _open_again(out, kept[0][0]), _open_again(err, kept[1][0])


def with_streams_of_each(events: Generator[Event, None, None]) -> Iterator[Event]:
    """The events, with the streams of `sys` that the user's code left while it runs, else ours."""
    ours = theirs = (sys.stdout, sys.stderr)
    with closing(events):
        while True:
            sys.stdout, sys.stderr = theirs
            try:
                event = next(events)
            except StopIteration:
                return
            finally:
                theirs = (sys.stdout, sys.stderr)
                sys.stdout, sys.stderr = ours
            yield event


def _open_again(stream: TextIO, descriptor: int) -> TextIO:
    """The stream, or a new one for the same descriptor where it was closed."""
    if not stream.closed:
        return stream
    return open(descriptor, "w", encoding=stream.encoding, errors=stream.errors, closefd=False)
