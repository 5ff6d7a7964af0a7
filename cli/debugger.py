"""The debugger at the line of the user's code where an exception passed."""

from __future__ import annotations

import os
import pdb  # noqa: T100 - this is what --pdb is for
import traceback
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path
    from types import FrameType


def stop_in_debugger(error: BaseException, folder: Path) -> None:
    """Show the exception and stop at the innermost frame of the user's code; `q` goes on.

    Args:
        error: Raised and caught, with its traceback.
        folder: Whose code is the user's, beside that in the current folder.
    """
    from ..pipeline_checks.observe.user_code import UserCode  # noqa: PLC0415 - only for --pdb

    code = UserCode((os.path.realpath(folder), os.path.realpath(os.curdir)))
    is_users = [code.holds(frame.f_code.co_filename) for frame, _ in _frames(error)]
    debugger = pdb.Pdb()
    depth = next((n for n, users in enumerate(reversed(is_users)) if users), 0)
    if depth:
        debugger.cmdqueue.append(f"up {depth}")
    debugger.message("".join(traceback.format_exception_only(type(error), error)).rstrip())
    debugger.reset()
    debugger.interaction(None, error.__traceback__)


def _frames(error: BaseException) -> list[tuple[FrameType, int]]:
    return list(traceback.walk_tb(error.__traceback__))
