"""TD401: the loss is not attached to the parameters."""

from collections.abc import Iterator

from ...facts import GradientFacts, GraphFacts, ModelFacts, TrainingFacts
from ...facts.training import LossFact
from ...report import Location, Problem, Severity, Stage
from ..lost_gradient import CUTS, end_before, reaches_nothing, why_and_what
from ..missing_loss import NUMBERS, is_missing
from ..registry import check
from ..wording import batch, count, number


@check("TD401", Severity.ERROR)
def loss_has_no_gradient(
    training: TrainingFacts,
    graph: GraphFacts,
    model: ModelFacts | None,
    gradients: GradientFacts | None,
) -> Iterator[Problem]:
    """The loss does not depend on the parameters: backward has nowhere to go.

    Why it matters: backward raises, or, where the loss was made to require a gradient by hand,
    changes nothing.

    How to fix it: keep the loss a tensor from the model's output to `backward()`: no `.item()`,
    `.detach()`, `.data`, `torch.tensor(loss)`, `no_grad` between them. With re-entrant gradient
    checkpointing over frozen layers let the inputs require a gradient, or use
    `use_reentrant=False`.
    """
    for loss in training.losses:
        if not _is_cut(loss, training) or _went_back(training, gradients):
            continue
        cause, hint = why_and_what(loss, graph, model)
        yield Problem(
            f"the loss ({number(loss.value)}) has no gradient: {cause}",
            where=batch(loss.batch, training.indices_of(loss.batch)),
            hint=hint,
            location=_location(graph, model),
            values={"type": loss.type, "detached_by": graph.detached_by},
        )
        return
    if gradients is not None and gradients.num_batches and reaches_nothing(gradients, model):
        yield _of_new_leaf(training, gradients, graph, model)


def _of_new_leaf(
    training: TrainingFacts, gradients: GradientFacts, graph: GraphFacts, model: ModelFacts | None
) -> Problem:
    """A loss that requires a gradient, but was made anew and hangs on no parameter."""
    first = training.losses[0] if training.losses else None
    cut = graph.detached_by.strip("_")
    by = f": {CUTS[cut]}" if cut in CUTS else ""
    return Problem(
        f"the loss ({number(first.value if first else None)}) requires a gradient, but backward "
        f"reaches none of the {count(len(gradients.never), 'trainable parameter')} in "
        f"{count(gradients.num_batches, 'batch', 'batches')}{by}.",
        where=batch(first.batch, training.indices_of(first.batch)) if first else "",
        hint="the loss was made anew (torch.tensor(..., requires_grad=True) or requires_grad_() "
        "after a detach): add up the loss tensors themselves, torch.stack(losses).mean().",
        location=graph.detached_at or (model.location if model is not None else None),
        values={"type": "Tensor", "detached_by": graph.detached_by},
    )


def _is_cut(loss: LossFact, training: TrainingFacts) -> bool:
    if loss.requires_grad or is_missing(loss, training.style) or loss.value is None:
        return False
    return loss.type == "Tensor" or loss.type in NUMBERS


def _went_back(training: TrainingFacts, gradients: GradientFacts | None) -> bool:
    """Whether the user's own loop ran backward itself and returns the loss only to be shown."""
    if training.style not in {"train_step", "lightning"}:
        return False
    ended = gradients is not None and gradients.num_batches > 0
    failed = any(failure.stage is Stage.BACKWARD for failure in training.failures)
    return ended or (training.style == "train_step" and not failed)


def _location(graph: GraphFacts, model: ModelFacts | None) -> Location | None:
    end = end_before(graph)
    if end is not None and end.location is not None:
        return end.location
    off = graph.grad_off[0].location if graph.grad_off else None
    return off or graph.detached_at or (model.location if model is not None else None)
