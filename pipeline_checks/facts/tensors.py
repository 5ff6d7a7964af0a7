"""What is kept of a tensor at a call."""

from dataclasses import dataclass
from math import prod

FLOATING = ("float64", "float32", "float16", "bfloat16")
INTEGER = ("int64", "int32", "int16", "int8", "uint8", "uint16", "uint32", "uint64")


@dataclass(frozen=True)
class TensorFact:
    """A tensor that reached a call.

    Attributes:
        shape: Its shape.
        dtype: Without the `torch.`: `float32`.
        device: `cpu`, `cuda:0`.
        name: What it is to the user: `weight of out`, `batch["labels"]`, or "".
        field: The path of the batch field that it came from, or None.
        requires_grad: Whether autograd follows it.
        min: Smallest finite value, None where not looked at.
        max: Largest finite value, None where not looked at.
    """

    shape: tuple[int, ...]
    dtype: str
    device: str = "cpu"
    name: str = ""
    field: str | None = None
    requires_grad: bool = False
    min: float | None = None
    max: float | None = None

    @property
    def is_floating(self) -> bool:
        """Whether its dtype is a floating-point one."""
        return self.dtype in FLOATING or self.dtype.startswith("float8")

    @property
    def is_integer(self) -> bool:
        """Whether its dtype is an integer one (bool is not)."""
        return self.dtype in INTEGER

    @property
    def numel(self) -> int:
        """The number of its elements."""
        return prod(self.shape)

    @property
    def shape_text(self) -> str:
        """`[4, 3, 48, 48]`."""
        return "[" + ", ".join(map(str, self.shape)) + "]"

    def __str__(self) -> str:
        return f"{self.shape_text} {self.dtype}"
