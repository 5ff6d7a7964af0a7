"""The child's side: take a job, run its stages, tell the parent, and end."""

from __future__ import annotations

import atexit
import json
import os
import sys
import traceback
from contextlib import suppress
from io import TextIOWrapper
from typing import TYPE_CHECKING, NoReturn

from ..events import StageEnded
from ..facts.codec import encode
from .doing import take_notes_in
from .job import Job
from .link import Link
from .messages import Kind
from .recorder import Recorder
from .reserve import hold_reserve, release_reserve
from .ties import die_with_parent

if TYPE_CHECKING:
    from pathlib import Path

    from ..events import Event

_exit = os._exit  # the real one: user code, and our recorder, replace it


def main() -> NoReturn:
    """Do the job that the parent sends.

    The arguments of the process: the file descriptors of orders, messages and black box, and the
    parent's process id.
    """
    orders, messages, black_box, parent = map(int, sys.argv[1:])
    sys.argv[1:] = []
    die_with_parent(parent)
    link = Link(orders, messages)
    recorder = Recorder(black_box)
    take_notes_in(recorder)
    _prepare_streams()
    hold_reserve()
    link.send(Kind.READY, lambda: "null")
    if _tell_all(link, recorder):
        _say_goodbye(link)
    _flush()
    _exit(0)


def _tell_all(link: Link, recorder: Recorder) -> bool:
    """Run the job; whether all of it went as it should."""
    try:
        job = Job.from_line(link.read_job())
        source = job.find_source()
        _arrange_path(job.spec.folder)
        for event in source(job.spec):
            _tell(event, link, recorder)
            if isinstance(event, StageEnded) and not link.wait_for_go():
                break
    except (SystemExit, KeyboardInterrupt, MemoryError) as leaving:
        release_reserve()
        _tell_leaving(leaving, link)
        return False
    except BaseException:  # noqa: BLE001 - the parent raises it as its own
        text = traceback.format_exc()
        link.send(Kind.CRASH, lambda: json.dumps(text))
        return False
    return True


def _tell(event: Event, link: Link, recorder: Recorder) -> None:
    if isinstance(event, StageEnded):
        _flush()  # what was printed belongs to the stage that ends here
    recorder.listen()
    link.send(Kind.EVENT, lambda: encode(event))
    recorder.forget_note()


def _tell_leaving(leaving: BaseException, link: Link) -> None:
    """Tell of an exception that only the user's code can have meant or caused."""
    status = leaving.code if isinstance(leaving, SystemExit) else None
    places = [(frame.f_code, line) for frame, line in traceback.walk_tb(leaving.__traceback__)]
    frames = [(code.co_filename, line, code.co_name) for code, line in places]
    body = {"name": type(leaving).__name__, "code": _exit_code(status), "frames": frames}
    link.send(Kind.LEFT, lambda: json.dumps(body))


def _exit_code(code: object) -> int:
    """The exit code that Python makes of `sys.exit(code)`."""
    if code is None:
        return 0
    return code if isinstance(code, int) else 1


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


def _say_goodbye(link: Link) -> None:
    """Clean up as Python would, but for threads: one that never ends must not hold us."""
    link.send(Kind.DONE, lambda: "null")
    with suppress(BaseException):
        atexit._run_exitfuncs()  # noqa: SLF001 - there is no public way but to end Python


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        with suppress(Exception):  # the user's code may have closed or replaced it
            stream.flush()
