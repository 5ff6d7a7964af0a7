"""Slips in a line that builds a part, which Python's own words do not name."""

import re

from ..facts import ExceptionFact

UNCALLED = re.compile(
    r"'(?:method|function|builtin_function_or_method)' object is not (?:iterable|subscriptable)"
)
LACKS_CALL = re.compile(r"[\w.]+\.(?:named_)?(?:parameters|modules|children|buffers)\b(?!\s*\()")
TEXT_FOR_NUMBER = re.compile(
    r"'[<>]=?' not supported between instances of "
    r"(?:'(?:float|int)' and 'str'|'str' and '(?:float|int)')"
)
CALL_HINT = "call it, with its parentheses: model.parameters()."
TEXT_HINT = (
    "give the number itself, float(value): YAML reads 1e-3 as text (1.0e-3 is a number), and so "
    "are values of the command line and of the environment."
)


def slip_in(error: ExceptionFact) -> tuple[str, str] | None:
    """What was written wrong, and what to write; None where the error tells no such slip."""
    if not error.is_a("TypeError"):
        return None
    if UNCALLED.search(error.text):
        line = (error.location.code if error.location else None) or ""
        found = LACKS_CALL.search(line)
        return f"{found.group() if found else 'a method'} is given without a call", CALL_HINT
    if TEXT_FOR_NUMBER.search(error.text):
        return "a text is given for a number", TEXT_HINT
    return None
