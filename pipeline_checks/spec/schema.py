"""The JSON Schema of a spec, for editors."""

from __future__ import annotations

from typing import Any

from pydantic.json_schema import GenerateJsonSchema

from .model import Spec
from .part_rules import PART_SCHEMA
from .parts import PART_NAMES


class _WithoutTitles(GenerateJsonSchema):
    """Leaves out the titles that pydantic makes of the names of the keys."""

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002 - pydantic's
        return False


def spec_schema() -> dict[str, Any]:
    """The JSON Schema (2020-12) of a tdebug.yaml, as `tdebug schema` prints it."""
    schema = Spec.model_json_schema(by_alias=True, schema_generator=_WithoutTitles)
    for key in ("pipeline", *PART_NAMES):
        entry = schema["properties"][key]
        schema["properties"][key] = {
            "description": entry["description"],
            "$ref": "#/$defs/Part",
        }
    return {
        **schema,
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "tdebug.yaml",
        "description": "What tdebug checks and how.",
        "$defs": {**schema["$defs"], "Part": PART_SCHEMA},
    }
