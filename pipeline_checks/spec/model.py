"""The spec as pydantic validates it."""

# No `from __future__ import annotations`: pydantic reads the annotations.

from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, ValidationError

from .lines import KeyPath, Lines
from .mistakes import SpecError
from .origin import Origin
from .part_rules import ARGUMENTS, PART, PIPELINE, WITH
from .parts import PART_NAMES, PartSpec, Reference
from .sections import SECTIONS, CheckSpec, LoaderSpec, TraceSpec
from .translate import list_mistakes
from .values import DEVICE, PRECISION, SAMPLES, SECONDS, SEED
from .worker_spec import SETTINGS, WorkerSpec

Part: TypeAlias = Annotated[PartSpec | None, PART]


def _described(description: str, default: Any = None, alias: str | None = None) -> Any:
    return Field(default=default, description=description, alias=alias)


class Spec(BaseModel):
    """What to check and how.

    The fields are the keys of a tdebug.yaml; a part that it does not name is None.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    pipeline: Annotated[PartSpec | None, PIPELINE] = _described(
        "A file or module whose factories are found by name, or module:factory returning a dict of "
        "parts, a Hugging Face Trainer or a LightningModule."
    )
    model: Part = _described("The model.")
    dataset: Part = _described("The training samples.")
    eval_dataset: Part = _described("The validation samples.")
    collate_fn: Part = _described("Makes a batch of samples.")
    dataloader: Part = _described("Gives batches; instead of dataset and collate_fn.")
    loss: Part = _described("Called with (output, target).")
    compute_loss: Part = _described("Called with (model, batch).")
    train_step: Part = _described("The loop body, called with (model, batch, optimizer, state).")
    optimizer: Part = _described("Receives the model's parameters first.")
    scheduler: Part = _described("Receives the optimizer first.")
    scaler: Part = _described("The GradScaler of fp16.")
    tokenizer: Part = _described("Lets tdebug show decoded samples.")
    metrics: Part = _described("compute_metrics(EvalPrediction), returning a dict.")
    loader: LoaderSpec = _described(
        "The loader made from dataset and collate_fn where the pipeline has none.", LoaderSpec()
    )
    device: Annotated[str, DEVICE] = _described("cpu, cuda, cuda:1, mps or auto.", "cpu")
    precision: Annotated[str, PRECISION] = _described("The precision of autocast.", "fp32")
    seed: Annotated[int, SEED] = _described("Seeds random, numpy and torch.", 42)
    samples: Annotated[int | Literal["all"], SAMPLES] = _described(
        "How many samples the dataset stage reads; all reads every one.", 256
    )
    arguments: Annotated[tuple[Reference, ...], ARGUMENTS] = _described(
        "Dataclasses filled from `with` and from options after --.", ()
    )
    with_: Annotated[Mapping[str, Any], WITH] = _described(
        "Values for the dataclasses of `arguments`.", {}, alias="with"
    )
    checks: CheckSpec = _described("Which checks count, and how bad they are.", CheckSpec())
    trace: TraceSpec = _described("Which batches tdebug trace records.", TraceSpec())
    budget: Annotated[float, SECONDS] = _described(
        "Seconds after which a stage stops reading more.", 20.0
    )
    timeout: Annotated[float, SECONDS] = _described("Seconds after which a stage is ended.", 600.0)

    _origin: Origin = PrivateAttr(default_factory=Origin)

    @classmethod
    def read(cls, data: Mapping[str, Any], origin: Origin) -> "Spec":
        """Validate the plain data of a file.

        Raises:
            pydantic.ValidationError: With all that is wrong; see `translate.list_mistakes`.
        """
        return cls.model_validate(data, context=origin)

    def model_post_init(self, context: Any, /) -> None:
        """Keep where the spec comes from, which the context of its validation tells."""
        self._origin = context if isinstance(context, Origin) else Origin()

    @property
    def file(self) -> str:
        """The file as the user named it."""
        return self._origin.file

    @property
    def folder(self) -> Path:
        """The folder that files in the spec are relative to, absolute."""
        return self._origin.folder

    @property
    def given(self) -> frozenset[str]:
        """The keys that the user wrote, those in sections with a dot: `loader.batch_size`."""
        return self._origin.given

    @property
    def parts(self) -> dict[str, PartSpec]:
        """The parts that the spec names, by name."""
        found = {name: getattr(self, name) for name in PART_NAMES}
        return {name: part for name, part in found.items() if part is not None}

    def line_of(self, path: str | KeyPath) -> int | None:
        """The line of a key (`"loader.batch_size"` or its parts), or of what holds it.

        None where the spec has no lines (a pipeline named on the command line).
        """
        return self._origin.lines.find(tuple(path.split(".")) if isinstance(path, str) else path)

    def for_worker(self) -> WorkerSpec:
        """What the worker needs of it, as a dataclass that needs no pydantic."""
        return WorkerSpec(
            file=self.file,
            folder=self.folder,
            pipeline=self.pipeline,
            parts=self.parts,
            loader=self.loader,
            device=self.device,
            precision=self.precision,
            seed=self.seed,
            samples=self.samples,
            budget=self.budget,
            timeout=self.timeout,
            trace=self.trace,
            arguments=self.arguments,
            with_=self.with_,
            given=self.given,
            lines=self._origin.lines,
        )

    def changed(self, values: Mapping[str, Any], source: str = "command line") -> "Spec":
        """The spec with other values for some keys, as options of the command line give them.

        Args:
            values: By key; validated as those of a file are.
            source: What a mistake names instead of a file.

        Raises:
            SpecError: With all that is wrong with `values`.
        """
        kept = {key: value for key, value in self._values().items() if key not in values}
        given = {name for name in self.given if name.split(".")[0] in kept} | list_given(values)
        try:
            return self.read({**kept, **values}, replace(self._origin, given=frozenset(given)))
        except ValidationError as error:
            raise SpecError(list_mistakes(error, source, Lines(), list_keys())) from None

    def to_json(self) -> dict[str, Any]:
        """JSON data that `from_json` reads back."""
        return {**self.for_worker().to_json(), "checks": asdict(self.checks)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Spec":
        """The spec that `to_json` wrote."""
        worker = WorkerSpec.from_json({key: data[key] for key in data if key != "checks"})
        names = ("pipeline", *SETTINGS, "loader", "trace", "arguments")
        values = {name: getattr(worker, name) for name in names}
        values |= {**worker.parts, "with": worker.with_, "checks": data["checks"]}
        values = {key: value for key, value in values.items() if value is not None}
        return cls.read(values, Origin(worker.file, worker.folder, worker.lines, worker.given))

    def _values(self) -> dict[str, Any]:
        """The values of the keys that were given, under the names that users write."""
        keys = {name.split(".")[0] for name in self.given}
        return {key: getattr(self, "with_" if key == "with" else key) for key in keys}


def list_keys() -> list[str]:
    """The keys of a spec, in the order of the reference."""
    return [entry.alias or name for name, entry in Spec.model_fields.items()]


def list_given(data: Mapping[str, Any]) -> frozenset[str]:
    """The keys of a file's data, those of sections with a dot."""
    given: set[str] = set()
    for key, value in data.items():
        is_section = key in SECTIONS and isinstance(value, dict)
        given |= {f"{key}.{name}" for name in value} if is_section else {str(key)}
    return frozenset(given)
