"""The spec: YAML or `[tool.tdebug]` to a validated `Spec` with lines. Never imports torch.

The names are imported when they are first used: the worker needs the plain ones (`WorkerSpec`,
`Reference`, `validate_config`) and must not wait for pydantic and yaml.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .batches import parse_batches
    from .check_patterns import read_patterns
    from .config import validate_config
    from .load import load_spec
    from .mistakes import Mistake, SpecError
    from .model import Spec
    from .near import did_you_mean, find_near
    from .parts import PART_NAMES, Call, PartSpec, Reference
    from .reference import ParsedReference, parse_reference
    from .schema import spec_schema
    from .sections import CheckSpec, LoaderSpec, TraceSpec
    from .template import TEMPLATE, write_template
    from .worker_spec import WorkerSpec

_MODULE_OF = {
    "PART_NAMES": "parts",
    "TEMPLATE": "template",
    "Call": "parts",
    "CheckSpec": "sections",
    "LoaderSpec": "sections",
    "Mistake": "mistakes",
    "ParsedReference": "reference",
    "PartSpec": "parts",
    "Reference": "parts",
    "Spec": "model",
    "SpecError": "mistakes",
    "TraceSpec": "sections",
    "WorkerSpec": "worker_spec",
    "did_you_mean": "near",
    "find_near": "near",
    "load_spec": "load",
    "parse_batches": "batches",
    "parse_reference": "reference",
    "read_patterns": "check_patterns",
    "spec_schema": "schema",
    "validate_config": "config",
    "write_template": "template",
}

__all__ = [
    "PART_NAMES",
    "TEMPLATE",
    "Call",
    "CheckSpec",
    "LoaderSpec",
    "Mistake",
    "ParsedReference",
    "PartSpec",
    "Reference",
    "Spec",
    "SpecError",
    "TraceSpec",
    "WorkerSpec",
    "did_you_mean",
    "find_near",
    "load_spec",
    "parse_batches",
    "parse_reference",
    "read_patterns",
    "spec_schema",
    "validate_config",
    "write_template",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f".{_MODULE_OF[name]}", __name__), name)
    globals()[name] = value
    return value
