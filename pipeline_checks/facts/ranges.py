"""How large the outputs of modules are."""

from dataclasses import dataclass


@dataclass(frozen=True)
class RangeFact:
    """The largest magnitude that a module gave out in one batch.

    Attributes:
        module: Qualified name, "" for the model itself.
        module_type: Its class name.
        abs_max: Largest magnitude, finite.
        dtype: Of that output.
    """

    module: str
    module_type: str
    abs_max: float
    dtype: str


@dataclass(frozen=True)
class RangeFacts:
    """The outputs that float16 would hardly hold, or not at all.

    Attributes:
        batch: The batch that was looked at.
        near_limit: Those beyond half of float16's largest number, in the order in which the modules
            ended, so that an inner one stands before the module that hands its value on.
        num_modules: How many modules were looked at.
        has_float16: Whether any of them gave out float16.
    """

    batch: int = 0
    near_limit: tuple[RangeFact, ...] = ()
    num_modules: int = 0
    has_float16: bool = False
