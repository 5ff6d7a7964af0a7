"""Check a training pipeline stage by stage. Public names are loaded when they are first used."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .check import check_pipeline
    from .pipeline import Pipeline
    from .report import Finding, Location, Report, Severity, Stage, Status

_MODULE_OF = {
    "Finding": ".report",
    "Location": ".report",
    "Pipeline": ".pipeline",
    "Report": ".report",
    "Severity": ".report",
    "Stage": ".report",
    "Status": ".report",
    "check_pipeline": ".check",
}

__all__ = [
    "Finding",
    "Location",
    "Pipeline",
    "Report",
    "Severity",
    "Stage",
    "Status",
    "check_pipeline",
]


def __getattr__(name: str) -> Any:
    """Load a public name; importing this package alone imports neither torch nor pydantic."""
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(_MODULE_OF[name], __name__), name)
    globals()[name] = value
    return value
