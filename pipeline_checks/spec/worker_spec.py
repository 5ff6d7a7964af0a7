"""What the worker needs of a spec; imports neither pydantic nor yaml."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .lines import KeyPath, Lines
from .parts import PartSpec, Reference, decode_value, encode_value
from .sections import LoaderSpec, TraceSpec

if TYPE_CHECKING:
    from collections.abc import Mapping

SETTINGS = ("device", "precision", "seed", "samples", "budget", "timeout")


@dataclass(frozen=True)
class WorkerSpec:
    """A spec as it crosses the worker's pipe.

    Attributes:
        file: The spec as the user named it, for sentences and locations.
        folder: The folder of the spec, absolute; it comes first on `sys.path`.
        pipeline: The file, module or factory that gives the parts, or None.
        parts: The parts that the spec itself names, by name; see `PART_NAMES`.
        loader: How to make a loader where the pipeline has none.
        device: `cpu`, `cuda`, `cuda:1`, `mps` or `auto`.
        precision: `fp32`, `bf16` or `fp16`.
        seed: From 0 to 2**32 - 1.
        samples: How many samples the dataset stage reads, or `all`.
        budget: Seconds after which a stage stops reading more.
        timeout: Seconds after which a stage is ended.
        trace: Which batches `tdebug trace` records.
        arguments: The dataclasses to fill.
        with_: What to fill them with.
        overrides: Options that win over `with_`, as on a command line: `--rate`, `1e-4`.
        given: The settings that the user wrote (`device`, `loader.batch_size`); the others are
            defaults, which `CONFIG` and a Trainer override.
        lines: The line of each key of the spec.
        options: What a command other than `check` asks for; plain JSON data.
    """

    file: str
    folder: Path
    pipeline: PartSpec | None = None
    parts: Mapping[str, PartSpec] = field(default_factory=dict)
    loader: LoaderSpec = field(default_factory=LoaderSpec)
    device: str = "cpu"
    precision: str = "fp32"
    seed: int = 42
    samples: int | str = 256
    budget: float = 20.0
    timeout: float = 600.0
    trace: TraceSpec = field(default_factory=TraceSpec)
    arguments: tuple[Reference, ...] = ()
    with_: Mapping[str, Any] = field(default_factory=dict)
    overrides: tuple[str, ...] = ()
    given: frozenset[str] = frozenset()
    lines: Lines = field(default_factory=Lines)
    options: Mapping[str, Any] = field(default_factory=dict)

    def line_of(self, path: str | KeyPath) -> int | None:
        """The line of a key (`"loader.batch_size"` or its parts), or of what holds it."""
        return self.lines.find(tuple(path.split(".")) if isinstance(path, str) else path)

    def filled_from(self, config: Mapping[str, Any]) -> WorkerSpec:
        """The spec with the values of a pipeline file's `CONFIG` where the spec itself is silent.

        Args:
            config: The values that `validate_config` gave.
        """
        settings = {
            name: config[name] for name in SETTINGS if name in config and name not in self.given
        }
        loader = {
            name: value
            for name, value in config.get("loader", {}).items()
            if f"loader.{name}" not in self.given
        }
        given = self.given | settings.keys() | {f"loader.{name}" for name in loader}
        return replace(self, **settings, loader=replace(self.loader, **loader), given=given)

    def to_json(self) -> dict[str, Any]:
        """JSON data that `from_json` reads back."""
        data = {entry.name: getattr(self, entry.name) for entry in fields(self)}
        return {
            **data,
            "folder": str(self.folder),
            "pipeline": encode_value(self.pipeline),
            "parts": {name: encode_value(part) for name, part in self.parts.items()},
            "loader": asdict(self.loader),
            "trace": asdict(self.trace),
            "arguments": encode_value(self.arguments),
            "with_": encode_value(dict(self.with_)),
            "given": sorted(self.given),
            "lines": self.lines.to_json(),
            "options": dict(self.options),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> WorkerSpec:
        """The spec that `to_json` wrote."""
        read = {
            "folder": Path(data["folder"]),
            "pipeline": decode_value(data["pipeline"]),
            "parts": {name: decode_value(part) for name, part in data["parts"].items()},
            "loader": LoaderSpec(**data["loader"]),
            "trace": TraceSpec(**{**data["trace"], "batches": tuple(data["trace"]["batches"])}),
            "arguments": tuple(decode_value(data["arguments"])),
            "with_": decode_value(data["with_"]),
            "overrides": tuple(data["overrides"]),
            "given": frozenset(data["given"]),
            "lines": Lines.from_json(data["lines"]),
        }
        return cls(**{**data, **read})
