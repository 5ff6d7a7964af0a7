"""How pydantic reads the parts of a spec: by `read_part`, with the lines of the file."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .flaws import Flaw, FlawsError, gather_flaws
from .lines import Lines
from .origin import Origin
from .parts import Call, PartSpec, Reference
from .read_part import read_data, read_part

if TYPE_CHECKING:
    from collections.abc import Callable

    from .lines import KeyPath

NAME_SCHEMA: dict[str, Any] = {
    "type": "string",
    "description": "An object reference: module:attribute, module.attribute or file.py:attribute.",
}
HYDRA_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"_target_": NAME_SCHEMA, "_args_": {"type": "array"}},
    "required": ["_target_"],
    "additionalProperties": True,
}
LIGHTNING_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"class_path": NAME_SCHEMA, "init_args": {"type": "object"}},
    "required": ["class_path"],
    "additionalProperties": False,
}


@dataclass(frozen=True)
class LinedRule:
    """One kind of value that keeps its lines.

    Attributes:
        read: Takes the value, its path in the file and the lines of the file; the paths of the
            flaws that it raises begin at the top of the file.
        schema: The JSON Schema of what may be written.
        key: The key as the user writes it, where that is not the name of the field.
    """

    read: Callable[[Any, KeyPath, Lines], Any]
    schema: dict[str, Any] = field(hash=False)
    key: str = ""

    def __get_pydantic_core_schema__(self, source: object, handler: Any) -> Any:
        """Tell pydantic to read the value with this rule."""
        from pydantic_core import core_schema  # noqa: PLC0415 - the worker does without

        path = (self.key or handler.field_name,)

        def read(value: Any, info: Any) -> Any:
            lines = info.context.lines if isinstance(info.context, Origin) else Lines()
            return self.read(value, path, lines)

        return core_schema.with_info_plain_validator_function(read)

    def __get_pydantic_json_schema__(self, core_schema: object, handler: object) -> Any:
        """Tell pydantic the JSON Schema."""
        return dict(self.schema)


def _read_part(value: Any, path: KeyPath, lines: Lines) -> PartSpec:
    if isinstance(value, (Reference, Call)):
        return value
    return read_part(value, path, lines)


def _read_pipeline(value: Any, path: KeyPath, lines: Lines) -> PartSpec:
    if isinstance(value, (Reference, Call)):
        return value
    return read_part(value, path, lines, may_be_module=True)


def _read_arguments(value: Any, path: KeyPath, lines: Lines) -> tuple[Reference, ...]:
    """One dataclass or several."""
    if not isinstance(value, (list, tuple)):
        return (_read_dataclass(value, path, lines),)
    found: list[Reference] = []
    flaws: list[Flaw] = []
    for place, item in enumerate(value):
        with gather_flaws(flaws):
            found.append(_read_dataclass(item, (*path, place), lines))
    if flaws:
        raise FlawsError(flaws)
    return tuple(found)


def _read_dataclass(value: Any, path: KeyPath, lines: Lines) -> Reference:
    if isinstance(value, str):
        value = read_part(value, path, lines)
    if isinstance(value, Reference):
        return value
    raise FlawsError([Flaw.unlike(value, "the object reference of a dataclass", path=path)])


def _read_with(value: Any, path: KeyPath, lines: Lines) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise FlawsError([Flaw.unlike(value, "a mapping of names to values", path=path)])
    found: dict[str, Any] = {}
    flaws: list[Flaw] = []
    for name, item in value.items():
        with gather_flaws(flaws):
            found[str(name)] = read_data(item, (*path, str(name)), lines)
    if flaws:
        raise FlawsError(flaws)
    return found


PART_SCHEMA: dict[str, Any] = {"anyOf": [NAME_SCHEMA, HYDRA_SCHEMA, LIGHTNING_SCHEMA]}
PART = LinedRule(_read_part, PART_SCHEMA)
PIPELINE = LinedRule(_read_pipeline, PART_SCHEMA)
ARGUMENTS = LinedRule(
    _read_arguments, {"anyOf": [NAME_SCHEMA, {"type": "array", "items": NAME_SCHEMA}]}
)
WITH = LinedRule(_read_with, {"type": "object", "additionalProperties": True}, key="with")
