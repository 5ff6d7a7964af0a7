"""Read YAML 1.2 as plain data, with the line of every key, and nothing that can grow or run code.

Aliases are followed once: an alias in a value that was itself reached through an alias is refused,
so that nothing grows exponentially; and the whole has a greatest number of values.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import yaml

from .document import Document
from .lines import KeyPath, Lines
from .mistakes import Mistake, SpecError
from .shown import show_path, show_value
from .yaml_nodes import MAPPING, PLAIN, PREFIX, SEQUENCE, TEXT, AliasNode, compose
from .yaml_scalars import read_scalar

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_VALUES = 20_000
LEFT_OUT = object()


def read_yaml(text: str, file: str) -> Document:
    """The mapping that `text` holds.

    Raises:
        SpecError: It is no well-formed YAML, or no mapping. What is wrong with a single value
            (a tag, a duplicate key) is no reason to stop: it is in `Document.mistakes`.
    """
    reader = _Reader(file)
    try:
        root = compose(text, file)
        data = {} if root is None else reader.read(root, ())
    except RecursionError:
        raise SpecError([Mistake(file, None, "is nested too deep to be read.")]) from None
    if root is None:
        remedy = "`tdebug init` writes one to start from."
        raise SpecError([Mistake(file, None, "the spec is empty.", remedy)])
    if data is LEFT_OUT:
        raise SpecError(reader.mistakes)
    if not isinstance(data, dict):
        message = f"the spec is {show_value(data)}; expected a mapping of keys to values."
        raise SpecError([Mistake(file, _line(root), message)])
    return Document(file, data, Lines(reader.lines), tuple(reader.mistakes))


@dataclass
class _Reader:
    """Walks the nodes of one file and keeps what it learns on the way."""

    file: str
    lines: dict[KeyPath, int] = field(default_factory=dict)
    mistakes: list[Mistake] = field(default_factory=list)
    num_values: int = 0
    alias: AliasNode | None = None  # the one that is being followed

    def read(self, node: yaml.Node, path: KeyPath) -> Any:
        """The value of `node`, or `LEFT_OUT` if it is refused."""
        self.num_values += 1
        if self.num_values > MOST_VALUES:
            message = f"holds more than {MOST_VALUES} values, aliases followed."
            raise SpecError([Mistake(self.file, _line(self.alias or node), message)])
        self.lines.setdefault(path, _line(node))
        if isinstance(node, AliasNode):
            return self._read_alias(node, path)
        if isinstance(node, yaml.MappingNode):
            return self._read_mapping(node, path)
        if isinstance(node, yaml.SequenceNode):
            return self._read_list(node, path)
        return self._read_scalar(node, path)

    def _read_alias(self, node: AliasNode, path: KeyPath) -> Any:
        if self.alias is not None:
            message = f"*{node.anchor} is an alias inside a value that an alias stands for."
            self._refuse(node, message, "Aliases are followed once: write the value out.")
            return LEFT_OUT
        self.alias = node
        try:
            return self.read(node.target, path)
        finally:
            self.alias = None

    def _read_mapping(self, node: yaml.MappingNode, path: KeyPath) -> Any:
        if not self._has_tag(node, MAPPING, path):
            return LEFT_OUT
        found: dict[Any, Any] = {}
        first_lines: dict[Any, int] = {}
        for key, key_node, value_node in self._keys(node, path):
            below = (*path, key if isinstance(key, str) else str(key))
            if key in found:
                message = f"the key {show_path(below)} is there twice"
                self._refuse(key_node, f"{message}, first on line {first_lines[key]}.")
            else:
                self.lines[below] = first_lines[key] = _line(key_node)
                found[key] = self.read(value_node, below)
        return {key: value for key, value in found.items() if value is not LEFT_OUT}

    def _keys(
        self, node: yaml.MappingNode, path: KeyPath
    ) -> Iterator[tuple[Any, yaml.Node, yaml.Node]]:
        where = show_path(path) or "the spec"
        for key_node, value_node in node.value:
            plain = key_node.target if isinstance(key_node, AliasNode) else key_node
            if not isinstance(plain, yaml.ScalarNode):
                self._refuse(key_node, f"{where} has a list or a mapping for a key.")
                continue
            key = self._read_scalar(plain, path)
            if key == "<<" and plain.tag == PLAIN:
                remedy = "Write the keys out, or alias the whole value."
                self._refuse(key_node, "'<<' merges mappings in YAML 1.1 alone.", remedy)
            elif key is not LEFT_OUT:
                yield key, key_node, value_node

    def _read_list(self, node: yaml.SequenceNode, path: KeyPath) -> Any:
        if not self._has_tag(node, SEQUENCE, path):
            return LEFT_OUT
        items = [self.read(item, (*path, place)) for place, item in enumerate(node.value)]
        return [item for item in items if item is not LEFT_OUT]

    def _read_scalar(self, node: yaml.Node, path: KeyPath) -> Any:
        if node.tag == TEXT:
            return node.value
        return read_scalar(node.value) if self._has_tag(node, PLAIN, path) else LEFT_OUT

    def _has_tag(self, node: yaml.Node, tag: str, path: KeyPath) -> bool:
        if node.tag == tag:
            return True
        shown = show_value(node.tag.replace(PREFIX, "!!"))
        where = show_path(path) or "the spec"
        self._refuse(node, f"{where} has the tag {shown}; tdebug reads plain data alone.")
        return False

    def _refuse(self, node: yaml.Node, message: str, remedy: str = "") -> None:
        mistake = Mistake(self.file, _line(node), message, remedy)
        if mistake not in self.mistakes:
            self.mistakes.append(mistake)


def _line(node: yaml.Node) -> int:
    mark = node.start_mark
    return int(mark.line) + 1 if mark else 1
