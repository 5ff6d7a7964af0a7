"""TD507: a GradScaler over float16 parameters."""

from collections.abc import Iterator

from ...facts import ModelFacts, OptimizerFacts
from ...report import Problem, Severity, Stage
from ..registry import check
from ..wording import count, name_list


@check("TD507", Severity.ERROR)
def scaler_with_half_parameters(optimizers: OptimizerFacts, model: ModelFacts) -> Iterator[Problem]:
    """A GradScaler is used although parameters are float16.

    Why it matters: the scaler refuses to unscale float16 gradients ("Attempting to unscale FP16
    gradients"): it is made for float32 parameters under autocast.

    How to fix it: leave the model in float32 (no `.half()`, no `torch_dtype=torch.float16`) and run
    the forward under `torch.autocast`; or drop the scaler.
    """
    halves = [p.name for p in model.trainable if p.dtype == "float16"]
    if not optimizers.has_scaler or not halves:
        return
    yield Problem(
        f"a GradScaler is used, but {count(len(halves), 'trainable parameter')} are float16: it "
        "needs float32 parameters and refuses to unscale float16 gradients.",
        where=name_list(halves),
        hint="keep the parameters in float32 and run the forward under torch.autocast, or drop the "
        "scaler.",
        location=model.location,
        values={"parameters": halves},
        stage=Stage.LOAD,  # seen as soon as model and scaler are built
    )
