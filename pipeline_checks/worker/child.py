"""The child's side: take a job, run its stages, tell the parent, and end."""

from __future__ import annotations

import atexit
import os
import sys
from contextlib import suppress
from io import TextIOWrapper
from typing import TYPE_CHECKING, NoReturn

from .doing import take_notes_in
from .job import Job
from .link import Link
from .messages import Kind
from .recorder import Recorder
from .reserve import hold_reserve, release_reserve
from .teller import Teller, flush_streams
from .ties import die_with_parent

if TYPE_CHECKING:
    from pathlib import Path

_exit = os._exit  # the real one: user code, and our recorder, replace it


def main() -> NoReturn:
    """Do the job that the parent sends.

    The arguments of the process: the file descriptors of orders, messages and black box, and the
    parent's process id.
    """
    orders, messages, black_box, parent = map(int, sys.argv[1:])
    sys.argv[1:] = []
    serve(orders, messages, black_box, parent=parent)


def serve(orders: int, messages: int, black_box: int, *, parent: int) -> NoReturn:
    """Do the job that comes through these descriptors, as a child of the process `parent`."""
    die_with_parent(parent)
    link = Link(orders, messages)
    recorder = Recorder(black_box)
    take_notes_in(recorder)
    _prepare_streams()
    hold_reserve()
    link.send(Kind.READY, lambda: "null")
    _run(link, Teller(link, recorder))
    flush_streams()
    _exit(0)


def _run(link: Link, teller: Teller) -> None:
    try:
        job = Job.from_line(link.read_job())
        source = job.find_source()
        _arrange_path(job.spec.folder)
        for event in source(job.spec):
            if not teller.tell(event):
                break
        teller.tell_end()
    except (SystemExit, KeyboardInterrupt, MemoryError) as leaving:
        release_reserve()
        teller.tell_leaving(leaving)
    except BaseException:  # noqa: BLE001 - the parent raises it as its own
        teller.tell_crash()
    else:
        _clean_up()


def _arrange_path(folder: Path) -> None:
    """The user's modules first, the current folder last; see the design of the spec."""
    sys.path.insert(0, str(folder))
    with suppress(FileNotFoundError):  # the current folder is gone
        sys.path.append(os.getcwd())  # noqa: PTH109 - pathlib would be one more import


def _prepare_streams() -> None:
    """Lines leave at once, so that a crash loses none, and no text can fail to be written."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
            stream.reconfigure(line_buffering=True, write_through=False)


def _clean_up() -> None:
    """Clean up as Python would, but for threads: one that never ends must not hold us."""
    with suppress(BaseException):
        atexit._run_exitfuncs()  # noqa: SLF001 - there is no public way but to end Python
