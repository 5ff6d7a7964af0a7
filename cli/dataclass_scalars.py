"""One value from one piece of text: numbers, yes and no, choices, what a class reads itself."""

from argparse import ArgumentTypeError
from typing import Any, get_origin

from .dataclass_hints import MisfitError, choices_of

_YES = frozenset({"yes", "true", "on", "t", "y", "1"})
_NO = frozenset({"no", "false", "off", "f", "n", "0"})


def read_scalar(text: str, member: Any) -> Any:
    """Read `text` as `member`, which is no union, sequence, mapping or dataclass.

    A choice of a Literal or an Enum is found by its `str()`; of an Enum the value is given, not the
    member, as `HfArgumentParser` does. Any other class is called with the text.

    Raises:
        MisfitError: The text does not say such a value.
    """
    choices = choices_of(member)
    if choices:
        return _read_choice(text, choices, member)
    if member is bool:
        return _read_bool(text)
    if member is bytes:
        return text.encode()
    kind = get_origin(member) or member
    if not isinstance(kind, type) or getattr(kind, "__abstractmethods__", None):
        raise MisfitError(text, member, "it cannot be given as text")
    try:
        return kind(text)
    except (TypeError, ValueError, ArgumentTypeError) as error:
        reason = "" if kind in (int, float) else str(error)
        raise MisfitError(text, member, reason) from error


def _read_bool(text: str) -> bool:
    if text.lower() in _YES | _NO:
        return text.lower() in _YES
    raise MisfitError(text, bool, "use yes/no, true/false, on/off, t/f, y/n or 1/0")


def _read_choice(text: str, choices: tuple[Any, ...], member: object) -> Any:
    for choice in choices:
        if str(choice) == text:
            return choice
    raise MisfitError(text, member)
