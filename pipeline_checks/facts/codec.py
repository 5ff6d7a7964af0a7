"""Facts and events to JSON and back."""

from __future__ import annotations

import dataclasses
import json
from functools import cache
from typing import Any, cast

from .. import events
from ..events import Event, Observed


def encode(event: Event) -> str:
    """One line of JSON; not-a-number and infinity are written as Python's json does."""
    payload = event.fact if isinstance(event, Observed) else event
    body = {"type": type(payload).__name__, "data": dataclasses.asdict(payload)}
    return json.dumps(body, separators=(",", ":"))


def decode(line: str) -> Event:
    """The event that `encode` wrote.

    Raises:
        ValueError: The line holds no known event.
    """
    body = json.loads(line)
    name, data = body["type"], body["data"]
    if hasattr(events, name):
        return cast("Event", _adapter(getattr(events, name)).validate_python(data))
    return Observed(_adapter(_fact_type(name)).validate_python(data))


@cache
def _adapter(kind: type) -> Any:
    from pydantic import TypeAdapter  # noqa: PLC0415 - the worker encodes and has no need of it

    return TypeAdapter(kind)


def _fact_type(name: str) -> type:
    from . import FACT_TYPES  # noqa: PLC0415 - this module is imported by the package

    try:
        return FACT_TYPES[name]
    except KeyError:
        raise ValueError(f"{name} is no type of fact.") from None
