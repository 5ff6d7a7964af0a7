"""The entry of the command line, and the one place where exceptions become exit codes."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

EXIT_INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command that the arguments name.

    Args:
        arguments: Without the name of the program; those of this process by default.

    Returns:
        0 nothing found, 1 findings, 2 tdebug could not do its work, 130 interrupted by the user.
    """
    given = sys.argv[1:] if arguments is None else list(arguments)
    try:
        return _run(given)
    except KeyboardInterrupt:
        return _interrupted()
    except Exception as error:  # noqa: BLE001 - whatever it is becomes a sentence and exit code 2
        from .failures import tell_failure  # noqa: PLC0415 - seldom needed

        return tell_failure(error, with_traceback="--traceback" in given)


def _run(arguments: list[str]) -> int:
    from .after_dashes import split_options  # noqa: PLC0415 - as below
    from .app import app  # noqa: PLC0415 - here an interrupt is caught, also while it is imported

    own, after_dashes = split_options(arguments)
    try:
        app(own, prog_name="tdebug", obj=after_dashes)
    except SystemExit as end:
        if end.code == EXIT_INTERRUPTED:
            return _interrupted()
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    return 0


def _interrupted() -> int:
    """Leave no half line behind."""
    from .first_line import erase_first_line  # noqa: PLC0415 - seldom needed

    erase_first_line()
    return EXIT_INTERRUPTED
