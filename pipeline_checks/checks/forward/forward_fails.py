"""TD305: the forward pass raises."""

from collections.abc import Iterator

from ...facts import ModelFacts, TrainingFacts
from ...report import Problem, Severity, Stage
from ..failures import first_failure, inputs_text, is_ending, module_name, module_sizes, place
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
    given = inputs_text(failure)
    yield Problem(
        f"{module_name(failure)}{f' ({sizes})' if sizes else ''} raised {failure.error}",
        where=place(failure, training),
        hint=_hint(given, model),
        location=failure.error.location or (model.location if model else None),
        values={
            "type": failure.error.type,
            "text": failure.error.text,
            "module": failure.module,
            "function": failure.function,
        },
        stack=failure.error.user_frames,
    )


def _hint(given: str, model: ModelFacts | None) -> str:
    if not given:
        return "run the line shown alone on this batch."
    takes = ", ".join(model.signature.names[:6]) if model else ""
    asked = f"; forward takes ({takes})" if takes else ""
    return f"the batch is {given}{asked}."
