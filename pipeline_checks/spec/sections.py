"""The sections of a spec that are mappings of their own: loader, checks and trace.

Plain dataclasses, so that the worker reads them without pydantic; where pydantic reads them, it
follows the rules in the annotations and refuses other keys.
"""

# No `from __future__ import annotations`: pydantic and `CONFIG` read the annotations.

from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar

from .batches import BATCHES
from .check_patterns import PATTERNS, SEVERITY_OF
from .values import BOOLEAN, WHOLE_FROM_0, WHOLE_FROM_1

FORBID: dict[str, Any] = {"extra": "forbid"}


@dataclass(frozen=True)
class LoaderSpec:
    """The loader that tdebug makes from dataset and collate_fn, where the pipeline has none."""

    __pydantic_config__: ClassVar[dict[str, Any]] = FORBID

    batch_size: Annotated[int, WHOLE_FROM_1] = 8
    shuffle: Annotated[bool, BOOLEAN] = False
    num_workers: Annotated[int, WHOLE_FROM_0] = 0
    drop_last: Annotated[bool, BOOLEAN] = False


@dataclass(frozen=True)
class CheckSpec:
    """Which checks count: code prefixes (`TD1`) or names."""

    __pydantic_config__: ClassVar[dict[str, Any]] = FORBID

    select: Annotated[tuple[str, ...], PATTERNS] = ()
    ignore: Annotated[tuple[str, ...], PATTERNS] = ()
    severity: Annotated[dict[str, str], SEVERITY_OF] = field(default_factory=dict)


@dataclass(frozen=True)
class TraceSpec:
    """Which batches `tdebug trace` records (counted from 0), and after which one it ends."""

    __pydantic_config__: ClassVar[dict[str, Any]] = FORBID

    batches: Annotated[tuple[int, ...], BATCHES] = ()
    abort_after: Annotated[int | None, WHOLE_FROM_0] = None


SECTIONS: dict[str, type] = {"loader": LoaderSpec, "checks": CheckSpec, "trace": TraceSpec}
