"""The entry of the command line, and the one place where exceptions become exit codes."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from .app import app
from .failures import tell_failure
from .first_line import erase_first_line

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
        app(given, prog_name="tdebug")
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except KeyboardInterrupt:
        erase_first_line()
        return EXIT_INTERRUPTED
    except Exception as error:  # noqa: BLE001 - whatever it is becomes a sentence and exit code 2
        return tell_failure(error, with_traceback="--traceback" in given)
    return 0
