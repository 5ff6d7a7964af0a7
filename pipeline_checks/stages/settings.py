"""The settings of a run, from a spec or from live parts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from torch import nn

from ..session import Settings

if TYPE_CHECKING:
    from ..pipeline.parts import Pipeline
    from ..spec import WorkerSpec


def settings_of_spec(spec: WorkerSpec) -> Settings:
    """The scalar keys of the spec."""
    loader = spec.loader
    return Settings(
        batch_size=loader.batch_size,
        shuffle=loader.shuffle,
        num_workers=loader.num_workers,
        drop_last=loader.drop_last,
        device=spec.device,
        precision=spec.precision if "precision" in spec.given else None,
        seed=spec.seed,
        samples=None if spec.samples == "all" else int(spec.samples),
        budget=spec.budget,
        is_batch_size_given="loader.batch_size" in spec.given,
    )


def settings_of_pipeline(pipeline: Pipeline) -> Settings:
    """What live parts bring: `Pipeline.settings`; the device is where the model lies."""
    given = {k: v for k, v in pipeline.settings.items() if k in Settings.__dataclass_fields__}
    parameters = pipeline.model.parameters() if isinstance(pipeline.model, nn.Module) else ()
    device = next((str(p.device) for p in parameters), "cpu")
    return replace(Settings(device=device, is_batch_size_given="batch_size" in given), **given)


def precision_of(pipeline: Pipeline, settings: Settings) -> str:
    """fp32, bf16 or fp16: what the user said, else the Trainer's."""
    return settings.precision or str(pipeline.settings.get("precision") or "fp32")
