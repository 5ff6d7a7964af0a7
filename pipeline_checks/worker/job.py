"""What the parent asks of the child."""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, cast

from ..spec.worker_spec import WorkerSpec

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..events import Event

    Source = Callable[[WorkerSpec], Iterator[Event]]


@dataclass(frozen=True)
class Job:
    """What the parent asks of the child.

    Attributes:
        source: `module:function`, a generator function that takes the spec and yields events.
        spec: What it is given.
    """

    source: str
    spec: WorkerSpec

    def to_line(self) -> str:
        """One line of JSON that `from_line` reads back."""
        return json.dumps({"source": self.source, "spec": self.spec.to_json()})

    @classmethod
    def from_line(cls, line: str) -> Job:
        """The job that `to_line` wrote."""
        data = json.loads(line)
        return cls(data["source"], WorkerSpec.from_json(data["spec"]))

    def find_source(self) -> Source:
        """The generator function that `source` names."""
        module, _, name = self.source.partition(":")
        return cast("Source", getattr(import_module(module), name))
