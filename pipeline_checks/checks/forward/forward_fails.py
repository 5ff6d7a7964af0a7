"""TD305: the forward pass raises."""

from collections.abc import Iterator

from ...facts import ModelFacts, TrainingFacts
from ...facts.training import FailureFact
from ...report import Location, Problem, Severity, Stage
from ..failures import first_failure, inputs_text, is_ending, module_name, module_sizes, place
from ..forward_explanations import explain_failure
from ..registry import check


@check("TD305", Severity.ERROR, is_fallback=True)
def forward_fails(training: TrainingFacts, model: ModelFacts | None) -> Iterator[Problem]:
    """The forward pass or the loss raises.

    Why it matters: no batch gets through, or only some do.

    How to fix it: the frames shown are your own; the last of them is the line that raised. The
    batch's fields with their shapes and dtypes stand beside it: look for the one that is not as the
    model expects.
    """
    failure = first_failure(training, Stage.FORWARD)
    if failure is None or is_ending(failure):
        return
    sizes = module_sizes(failure)
    cause, hint = explain_failure(failure, training, model) or ("", "")
    yield Problem(
        f"{module_name(failure)}{f' ({sizes})' if sizes else ''} raised "
        f"{_with_cause(str(failure.error), cause)}",
        where=place(failure, training),
        hint=hint or _hint(inputs_text(failure), model),
        location=_location(failure, model),
        values={
            "type": failure.error.type,
            "text": failure.error.text,
            "module": failure.module,
            "function": failure.function,
        },
        stack=failure.error.user_frames,
    )


def _with_cause(raised: str, cause: str) -> str:
    return f"{raised.rstrip('.')}; {cause}." if cause else raised


def _location(failure: FailureFact, model: ModelFacts | None) -> Location | None:
    """The user's innermost line; a line of a library only where nothing of the user's is known."""
    if failure.error.user_frames:
        return failure.error.user_frames[-1]
    return (model.location if model is not None else None) or failure.error.location


def _hint(given: str, model: ModelFacts | None) -> str:
    if not given:
        return "run the line shown alone on this batch."
    takes = ", ".join(model.signature.names[:6]) if model else ""
    asked = f"; forward takes ({takes})" if takes else ""
    return f"the batch is {given}{asked}."
