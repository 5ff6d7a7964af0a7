"""Where an operator was called: the nearest line outside torch, and the user's own."""

from __future__ import annotations

import linecache
import os
import sys
import sysconfig
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from types import FrameType

_TORCH = os.path.dirname(torch.__file__) + os.sep  # noqa: PTH120 - compared as text, once a frame
_STDLIB = sysconfig.get_path("stdlib") + os.sep
_PACKAGE = __name__.partition(".")[0] + "."
_INSTALLED = (f"{os.sep}site-packages{os.sep}", f"{os.sep}dist-packages{os.sep}")
MAX_CODE = 300  # generated and minified code has lines of megabytes


@dataclass(frozen=True)
class Location:
    """One line of source.

    Attributes:
        file: Path as Python knows it.
        line: Line number, from 1.
        function: Qualified name of the function that the line is in, where Python knows it.
        source: Text of the line without its indentation, empty if it cannot be read.
    """

    file: str
    line: int
    function: str
    source: str


@dataclass(frozen=True)
class Locations:
    """The same call seen twice.

    Attributes:
        outside_torch: Innermost line that is not torch's; may be a library's, e.g. transformers'.
        outside_site_packages: Innermost line of the user's own code.
    """

    outside_torch: Location | None = None
    outside_site_packages: Location | None = None


NOWHERE = Locations()


def find_locations(depth: int = 1) -> Locations:
    """Look up the stack from the caller for the two lines that a person wants to see.

    Args:
        depth: How many frames above this function the search starts.
    """
    nearest: tuple[str, int, str] | None = None
    frame: FrameType | None = sys._getframe(depth)  # noqa: SLF001 - traceback is 50 times slower
    while frame is not None:
        owner = _owner(frame.f_code.co_filename, str(frame.f_globals.get("__name__", "")))
        if owner in {"library", "user"} and nearest is None:
            nearest = _place(frame)
        if owner == "user":
            return Locations(_locate(nearest), _locate(_place(frame)))
        frame = frame.f_back
    return Locations(_locate(nearest), None)


def _place(frame: FrameType) -> tuple[str, int, str]:
    code = frame.f_code
    return code.co_filename, frame.f_lineno, getattr(code, "co_qualname", code.co_name)


@lru_cache(maxsize=4096)
def _owner(file: str, module: str) -> str:
    if module.startswith(_PACKAGE):
        return "tdebug"
    if file.startswith(_TORCH):
        return "torch"
    if any(part in file for part in _INSTALLED):
        return "library"
    if file.startswith((_STDLIB, "<frozen", "<string>", "<__array_function__")):
        return "stdlib"
    return "user"


def _locate(place: tuple[str, int, str] | None) -> Location | None:
    if place is None:
        return None
    file, line, function = place
    return Location(file, line, function, linecache.getline(file, line).strip()[:MAX_CODE])
