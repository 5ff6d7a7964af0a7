"""The parts that a spec names, as plain data: an object reference, or a call with its arguments.

Imports neither pydantic nor yaml: the worker builds the parts from these.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeAlias

from .reference import ParsedReference, parse_reference

# The keys of a spec that name a part, in the order in which parts are built.
PART_NAMES = (
    "tokenizer",
    "dataset",
    "eval_dataset",
    "collate_fn",
    "dataloader",
    "model",
    "loss",
    "compute_loss",
    "train_step",
    "optimizer",
    "scheduler",
    "scaler",
    "metrics",
)


@dataclass(frozen=True)
class Reference:
    """An object, named: `my_project.data:train_set`.

    Attributes:
        text: As the user wrote it.
        line: Its line in the spec, or None where it came from elsewhere.
    """

    text: str
    line: int | None = None

    @property
    def parsed(self) -> ParsedReference:
        """File or module, and attribute."""
        return parse_reference(self.text)

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Call:
    """An object, named, to be called: Hydra's `_target_` or Lightning's `class_path`.

    Attributes:
        target: What is called.
        arguments: By name: plain data, in which a `Call` at any depth stands for what it builds.
        positional: Hydra's `_args_`, passed first.
        line: Its line in the spec, or None.
    """

    target: Reference
    arguments: dict[str, Any] = field(default_factory=dict)
    positional: tuple[Any, ...] = ()
    line: int | None = None

    def __str__(self) -> str:
        return f"{self.target}(...)"


PartSpec: TypeAlias = Reference | Call


def encode_value(value: Any) -> Any:
    """Plain data and parts as JSON data that `decode_value` reads back without loss.

    Mappings become lists of pairs, since their keys need not be text.
    """
    if isinstance(value, Reference):
        return {"reference": value.text, "line": value.line}
    if isinstance(value, Call):
        return {
            "call": encode_value(value.target),
            "arguments": encode_value(value.arguments),
            "positional": encode_value(value.positional),
            "line": value.line,
        }
    if isinstance(value, dict):
        return {"mapping": [[key, encode_value(item)] for key, item in value.items()]}
    if isinstance(value, (list, tuple)):
        return [encode_value(item) for item in value]
    return value


def decode_value(data: Any) -> Any:
    """What `encode_value` was given; tuples come back as lists."""
    if isinstance(data, list):
        return [decode_value(item) for item in data]
    if not isinstance(data, dict):
        return data
    if "reference" in data:
        return Reference(data["reference"], data["line"])
    if "mapping" in data:
        return {key: decode_value(item) for key, item in data["mapping"]}
    return Call(
        target=decode_value(data["call"]),
        arguments=decode_value(data["arguments"]),
        positional=tuple(decode_value(data["positional"])),
        line=data["line"],
    )
