"""Where the gradient ends on its way from the loss to the parameters."""

from dataclasses import dataclass

from ..report import Location


@dataclass(frozen=True)
class GradientEnd:
    """The operator at which the gradient of some parameters ends.

    Attributes:
        reason: `cut` (its result has no gradient), `off` (it ran under no_grad), `left` (it gives
            plain numbers), `none` (its backward returns None), `unused` (nothing that is computed
            from them goes into the loss), or why it hands on nothing but zeros: `step`, `bounds`,
            `relu`, `one_class`, `saturated`, `number` (a factor that is the number 0), `zeros`
            (factors that are all 0), `same` (it compares a tensor with itself), `cancel` (what
            comes back on several ways adds up to 0), `zero` (not known).
        parameters: The parameters behind it.
        operator: The function that the user's code called, `data` for the attribute; for an
            operator of the user's own the name of its autograd node.
        location: The user's line.
        back_at: For `left`: the user's line that made a tensor of the numbers again.
        zeros: For `zeros`: parameters behind it that are all 0.
        same: For `same`: the two arguments that hold the same values.
        low: For `bounds`: the lower bound.
        high: For `bounds`: the upper bound.
    """

    reason: str
    parameters: tuple[str, ...] = ()
    operator: str = ""
    location: Location | None = None
    back_at: Location | None = None
    zeros: tuple[str, ...] = ()
    same: tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class GradientEndFacts:
    """What a further forward and backward of the first batch showed, where gradients are missing.

    Attributes:
        lost: Where the gradient of trainable parameters ends that never have one.
        zero: Where the gradient becomes 0, where it is 0 everywhere; from the loss on.
        unused: Trainable parameters that no function was given.
    """

    lost: tuple[GradientEnd, ...] = ()
    zero: tuple[GradientEnd, ...] = ()
    unused: tuple[str, ...] = ()

    def end_of(self, name: str) -> GradientEnd | None:
        """Where the gradient of this parameter ends, None where it is not known."""
        return next((end for end in self.lost if name in end.parameters), None)
