"""YAML text to nodes: PyYAML's parser, aliases kept as such, its complaints in our words."""

from __future__ import annotations

from typing import Any

import yaml
from yaml.composer import ComposerError
from yaml.reader import ReaderError

from .mistakes import Mistake, SpecError
from .shown import show_value

PREFIX = "tag:yaml.org,2002:"
PLAIN = f"{PREFIX}plain"  # a scalar without quotes and tag, to be read as YAML 1.2 says
TEXT = f"{PREFIX}str"
MAPPING = f"{PREFIX}map"
SEQUENCE = f"{PREFIX}seq"


class AliasNode(yaml.Node):
    """`*anchor`: the place of an alias, and the node that it stands for."""

    def __init__(self, event: Any, target: Any) -> None:
        super().__init__("", None, event.start_mark, event.end_mark)
        self.anchor: str = event.anchor
        self.target: yaml.Node = target


class _Composer(yaml.SafeLoader):
    """Composes nodes and constructs nothing; leaves the meaning of plain scalars open."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        event: Any = self.peek_event()  # type: ignore[no-untyped-call] # so in types-PyYAML
        is_alias = isinstance(event, yaml.AliasEvent)
        is_known = event.anchor in self.anchors
        if is_alias and not is_known:
            _refuse(event, f"*{event.anchor} is an alias, but nothing above it has &{event.anchor}")
        if event.anchor and is_known and not is_alias:
            _refuse(event, f"the anchor &{event.anchor} is there twice")
        node = super().compose_node(parent, index)
        return AliasNode(event, node) if is_alias else node

    def resolve(self, kind: Any, value: Any, implicit: Any) -> str:  # noqa: ARG002 - PyYAML's
        if kind is yaml.ScalarNode:
            return PLAIN if implicit[0] else TEXT
        return MAPPING if kind is yaml.MappingNode else SEQUENCE


def _refuse(event: Any, problem: str) -> None:
    raise ComposerError(None, None, problem, event.start_mark)


def compose(text: str, file: str) -> yaml.Node | None:
    """The root node of the one document that `text` holds, or None if it holds nothing.

    Raises:
        SpecError: It is no well-formed YAML, or more than one document.
    """
    try:
        loader = _Composer(text)
        if not loader.check_node():
            return None
        root: Any = loader.get_node()
        if loader.check_node():
            second: Any = loader.peek_event()  # type: ignore[no-untyped-call] # in types-PyYAML
            line = second.start_mark.line + 1
            message = "a second document begins here; a spec is one document."
            raise SpecError([Mistake(file, line, message, "Remove what follows '---'.")])
    except ReaderError as error:
        raise SpecError([_describe_character(error, text, file)]) from None
    except yaml.MarkedYAMLError as error:
        raise SpecError([_describe_syntax(error, text, file)]) from None
    return None if _is_nothing(root) else root


def _is_nothing(root: yaml.Node) -> bool:
    return root.tag == PLAIN and root.value == ""


def _describe_character(error: ReaderError, text: str, file: str) -> Mistake:
    line = text.count("\n", 0, error.position) + 1
    return Mistake(
        file, line, f"the character U+{ord(text[error.position]):04X} is no part of YAML."
    )


def _describe_syntax(error: yaml.MarkedYAMLError, text: str, file: str) -> Mistake:
    mark = error.problem_mark or error.context_mark
    problem = error.problem or error.context or "it cannot be read"
    if mark is None:
        return Mistake(file, None, f"this is not YAML: {problem}.")
    lines = [*text.splitlines(), ""]
    line = lines[min(mark.line, len(lines) - 1)]
    indent = line[: len(line) - len(line.lstrip())]
    if "\t" in indent or line[mark.column : mark.column + 1] == "\t":
        return Mistake(file, mark.line + 1, "a tab stands where YAML indents.", "Use spaces.")
    begun = error.context_mark
    if begun and begun.line != mark.line:
        problem = f"{problem} (of what begins on line {begun.line + 1})"
    remedy = _guess_cause(line, line[: mark.column + 1])
    return Mistake(file, mark.line + 1, f"this is not YAML: {problem}.", remedy)


def _guess_cause(line: str, begin: str) -> str:
    """What people most often meant, told by the line and its begin up to the complaint."""
    value = line.partition(": ")[2].strip()
    if value.startswith(("@", "`", "%")):
        return f"Put {show_value(value)} in quotes."
    if begin.endswith(":") and ": " in begin:
        return f"If {show_value(value)} is one value, put it in quotes."
    if begin.endswith(":"):
        return "Is the line indented as the one above it?"
    return ""
