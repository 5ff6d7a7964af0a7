"""Facts: what the observers saw, as plain frozen dataclasses that cross the worker's pipe."""

from .batches import BatchFacts
from .calls import CallFacts
from .distributed import DistributedFacts, RankFacts
from .evaluation import EvaluationFacts
from .exceptions import ExceptionFact
from .fitting import FittingFacts
from .load import LoadFacts, SetupFacts
from .loader import LoaderFacts
from .loader_workers import LoaderWorkerFacts
from .mixing import MixingFacts
from .model import ModelFacts
from .numerics import NumericsFacts
from .optimizer import OptimizerFacts
from .packages import PackageFacts
from .ranges import RangeFacts
from .samples import SampleFacts
from .step import RepeatFacts, StepFacts
from .swallowed import SwallowedFacts
from .trainer import TrainerFacts
from .training import GradientFacts, GraphFacts, TrainingFacts
from .watching import DiffFacts, FramesSeen, WatchFacts

FACT_TYPES: dict[str, type] = {
    kind.__name__: kind
    for kind in (
        LoadFacts,
        SetupFacts,
        ModelFacts,
        OptimizerFacts,
        PackageFacts,
        FittingFacts,
        TrainerFacts,
        SampleFacts,
        LoaderFacts,
        LoaderWorkerFacts,
        BatchFacts,
        CallFacts,
        TrainingFacts,
        GraphFacts,
        GradientFacts,
        StepFacts,
        SwallowedFacts,
        RepeatFacts,
        NumericsFacts,
        RangeFacts,
        MixingFacts,
        WatchFacts,
        FramesSeen,
        DiffFacts,
        EvaluationFacts,
        DistributedFacts,
        RankFacts,
    )
}

__all__ = [
    "FACT_TYPES",
    "BatchFacts",
    "CallFacts",
    "DiffFacts",
    "DistributedFacts",
    "EvaluationFacts",
    "ExceptionFact",
    "FittingFacts",
    "FramesSeen",
    "GradientFacts",
    "GraphFacts",
    "LoadFacts",
    "LoaderFacts",
    "LoaderWorkerFacts",
    "MixingFacts",
    "ModelFacts",
    "NumericsFacts",
    "OptimizerFacts",
    "PackageFacts",
    "RangeFacts",
    "RankFacts",
    "RepeatFacts",
    "SampleFacts",
    "SetupFacts",
    "StepFacts",
    "SwallowedFacts",
    "TrainerFacts",
    "TrainingFacts",
    "WatchFacts",
]
