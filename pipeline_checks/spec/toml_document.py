"""Read `[tool.tdebug]` of a pyproject.toml."""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any

from .document import Document
from .lines import Lines
from .mistakes import Mistake, SpecError
from .toml_lines import find_toml_lines

TABLE = ("tool", "tdebug")


def read_pyproject(text: str, file: str) -> Document | None:
    """The table `[tool.tdebug]`, or None if there is none.

    Raises:
        SpecError: It is no TOML, or Python has no reader for it.
    """
    if "tdebug" not in text:  # without a reader of TOML, too, there is then nothing to say
        return None
    toml = _import_reader(file)
    try:
        data: Any = toml.loads(text)
    except toml.TOMLDecodeError as error:
        raise SpecError([_describe_syntax(error, file)]) from None
    except RecursionError:
        raise SpecError([Mistake(file, None, "is nested too deep to be read.")]) from None
    tools = data.get("tool")
    if not isinstance(tools, dict) or "tdebug" not in tools:
        return None
    lines = Lines(
        {path[2:]: line for path, line in find_toml_lines(text).items() if path[:2] == TABLE}
    )
    table = tools["tdebug"]
    if not isinstance(table, dict):
        message = "tool.tdebug is no table."
        raise SpecError([Mistake(file, lines.find(()), message, "Write [tool.tdebug].")])
    return Document(file, table, lines)


def _import_reader(file: str) -> Any:
    for name in ("tomllib", "tomli"):  # tomllib is in Python 3.11 and newer
        if importlib.util.find_spec(name) is not None:
            return importlib.import_module(name)
    remedy = "Install tomli, or write a tdebug.yaml."
    raise SpecError([Mistake(file, None, "Python 3.10 cannot read TOML.", remedy)])


def _describe_syntax(error: Exception, file: str) -> Mistake:
    message, _, place = str(error).rpartition(" (at ")
    words = place.rstrip(")").replace(",", "").split()
    is_line = words[:1] == ["line"] and words[1:2] != [] and words[1].isdigit()
    line = int(words[1]) if is_line else None
    return Mistake(file, line, f"this is not TOML: {message or error}.")
