"""The stages of a pipeline, in the order in which the data flows."""

from enum import Enum


class Stage(str, Enum):
    """One stage of the pipeline; `rank` orders them as the data flows."""

    LOAD = "load"
    DATASET = "dataset"
    COLLATE = "collate"
    FORWARD = "forward"
    BACKWARD = "backward"
    STEP = "step"
    EVALUATE = "evaluate"
    DISTRIBUTED = "distributed"

    @property
    def rank(self) -> int:
        """0 for load, 7 for distributed."""
        return STAGES.index(self)

    def __str__(self) -> str:
        return self.value


STAGES: tuple[Stage, ...] = tuple(Stage)
