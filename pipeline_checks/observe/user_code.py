"""Which source files are the user's, and how a place in them is written."""

from __future__ import annotations

import os
import sys
import sysconfig
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from ..report import Location
from ..source_line import source_line

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import CodeType, FrameType, TracebackType

OWN_FOLDERS = tuple(
    str(Path(__file__).resolve().parents[1].parent / name) + os.sep
    for name in ("cli", "pipeline_checks", "overflow", "gather")
)
# Where tdebug calls the user's code: above it on the stack stands only what has called tdebug.
CALLING = tuple(
    f"{Path(__file__).resolve().parents[1] / name}{os.sep}" for name in ("stages", "pipeline")
)
LIBRARY_FOLDERS = tuple(
    os.path.realpath(path) + os.sep
    for key, path in sysconfig.get_paths().items()
    if key in {"stdlib", "platstdlib", "purelib", "platlib"}
)
INSTALLED = (f"{os.sep}site-packages{os.sep}", f"{os.sep}dist-packages{os.sep}")
MAX_FRAMES = 40


@lru_cache(maxsize=4096)
def _real(path: str) -> str:
    return os.path.realpath(path)


def is_own(path: str) -> bool:
    """Whether the file is tdebug's."""
    return _real(path).startswith(OWN_FOLDERS)


def is_library(path: str) -> bool:
    """Whether the file belongs to Python or to an installed package."""
    real = _real(path)
    return (
        path.startswith("<")
        or any(part in real for part in INSTALLED)
        or real.startswith(LIBRARY_FOLDERS)
    )


def is_installed(path: str) -> bool:
    """Whether the file belongs to an installed package that is not tdebug."""
    return not is_own(path) and any(part in _real(path) for part in INSTALLED)


def _is_notebook_cell(path: str) -> bool:
    """Whether it is what IPython (`<ipython-input-3-...>`) or ipykernel calls a cell."""
    return path.startswith("<ipython") or Path(path).parent.name.startswith("ipykernel_")


@dataclass(frozen=True)
class UserCode:
    """The folders whose code is the user's.

    Attributes:
        folders: Resolved paths: the folder of the spec, the current folder, and those of the
            packages that the spec names.
    """

    folders: tuple[str, ...] = field(default_factory=lambda: (str(Path.cwd().resolve()),))

    def holds(self, path: str) -> bool:
        """Whether the file is the user's."""
        if _is_notebook_cell(path):
            return True
        if is_own(path) or is_library(path):
            return False
        real = _real(path)
        return any(real.startswith(folder.rstrip(os.sep) + os.sep) for folder in self.folders)

    def place(self, path: str, line: int | None, function: str | None = None) -> Location:
        """The place as the user would write it."""
        return Location(shown_path(path), line, function, source_line(path, line))

    def of_code(self, code: CodeType) -> Location:
        """Where a function is defined."""
        return self.place(code.co_filename, code.co_firstlineno, code.co_name)

    def frames_of(self, traceback: TracebackType | None) -> tuple[tuple[Location, bool], ...]:
        """All frames of a traceback but tdebug's own, outermost first; and which are the user's."""
        found = []
        while traceback is not None:
            code = traceback.tb_frame.f_code
            if not is_own(code.co_filename):
                place = self.place(code.co_filename, traceback.tb_lineno, code.co_name)
                found.append((place, self.holds(code.co_filename)))
            traceback = traceback.tb_next
        if len(found) > 2 * MAX_FRAMES:
            found = found[:MAX_FRAMES] + found[-MAX_FRAMES:]
        return tuple(found)

    def caller(self) -> Location | None:
        """The innermost line of the user's code on the stack of this thread, else of a library.

        Torch's own frames never count, nor does what called tdebug; None if there are no others.
        """
        library = None
        for frame in _frames_up(sys._getframe(1)):  # noqa: SLF001 - the only way to walk the stack cheaply
            path = frame.f_code.co_filename
            if _real(path).startswith(CALLING):
                break
            if is_own(path) or f"{os.sep}torch{os.sep}" in path:
                continue
            if self.holds(path):
                return self.place(path, frame.f_lineno, frame.f_code.co_name)
            if library is None and any(part in path for part in INSTALLED):
                library = frame
        if library is None:
            return None
        return self.place(library.f_code.co_filename, library.f_lineno, library.f_code.co_name)


def _frames_up(frame: FrameType | None) -> Iterator[FrameType]:
    while frame is not None:
        yield frame
        frame = frame.f_back


def shown_path(path: str) -> str:
    """Relative to the current folder where it lies below, from `site-packages` where installed."""
    for part in INSTALLED:
        if part in path:
            return path.rsplit(part, 1)[1]
    try:
        relative = os.path.relpath(path)
    except (ValueError, OSError):
        return path
    return path if relative.startswith("..") else relative
