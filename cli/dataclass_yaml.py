"""YAML as version 1.2 reads it: `1e-5` is a number, `no` and `on` are text."""

import re
from typing import Any

import yaml

_TAG = "tag:yaml.org,2002:"
# The scalars of the core schema (YAML 1.2.2, section 10.3.2), and the merge key, which people use.
_SCALARS = {
    "null": r"~|null|Null|NULL|",
    "bool": r"true|True|TRUE|false|False|FALSE",
    "int": r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+",
    "float": r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?"
    r"|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)",
    "merge": r"<<",
}


class _CoreLoader(yaml.SafeLoader):
    """The safe loader with the scalars of YAML 1.2 and no others."""

    yaml_implicit_resolvers = {  # noqa: RUF012 - PyYAML declares it so, and reads it from the class
        None: [(_TAG + kind, re.compile(f"(?:{text})$")) for kind, text in _SCALARS.items()]
    }

    def construct_core_int(self, node: yaml.ScalarNode) -> int:
        text = str(self.construct_scalar(node))
        base = {"0o": 8, "0x": 16}.get(text[:2], 10)
        return int(text, base)


_CoreLoader.add_constructor(f"{_TAG}int", _CoreLoader.construct_core_int)


def parse_yaml(text: str) -> Any:
    """Read a YAML document; an empty one is None.

    Raises:
        ValueError: It is no YAML; the message says where.
    """
    try:
        return yaml.load(text, Loader=_CoreLoader)  # noqa: S506 - a subclass of SafeLoader
    except yaml.YAMLError as error:
        raise ValueError(f"this is no valid YAML: {error}") from error


def parse_scalar(text: str) -> Any:
    """Read text as a plain scalar: a number, true, false, null, or else the text itself."""
    for kind, pattern in _SCALARS.items():
        if kind != "merge" and re.fullmatch(pattern, text):
            return parse_yaml(text)
    return text
