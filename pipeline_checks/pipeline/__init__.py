"""The parts of a pipeline: where they come from, and how they are put together."""

from .parts import Pipeline

__all__ = ["Pipeline"]
