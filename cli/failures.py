"""What is said when tdebug cannot do its work: a sentence on stderr, and exit code 2."""

from __future__ import annotations

import traceback

from .errors import OptionError
from .first_line import erase_first_line
from .stderr import say

EXIT_FAILED = 2


def tell_failure(error: Exception, *, with_traceback: bool) -> int:
    """Say what went wrong, for a mistake of the user's without a frame of tdebug's.

    Args:
        error: What ended the command.
        with_traceback: Show all frames, whatever it is.

    Returns:
        The exit code.
    """
    erase_first_line()
    if with_traceback:
        traceback.print_exception(error)
    elif _is_mistake(error):
        say(str(error))
    else:
        say(_internal_sentence(error))
    return EXIT_FAILED


def _is_mistake(error: Exception) -> bool:
    """Whether the user can mend it; its text then says what and where."""
    from ..pipeline_checks.spec import SpecError  # noqa: PLC0415 - imported only if it is needed
    from ..pipeline_checks.walk import SpecMistakesError  # noqa: PLC0415 - as above

    return isinstance(error, (OptionError, SpecError, SpecMistakesError))


def _internal_sentence(error: Exception) -> str:
    """Type, first and last line of the text (where the worker's exception stands), and place."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f" ({frames[-1].filename}:{frames[-1].lineno})" if frames else ""
    lines = str(error).strip().split("\n")
    text = " ".join([type(error).__name__ + ":", *dict.fromkeys((lines[0], lines[-1]))])
    return f"tdebug failed: {text}{place}\nThis is a fault of tdebug; --traceback shows more."
