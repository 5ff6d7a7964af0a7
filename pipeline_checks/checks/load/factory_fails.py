"""TD002: a factory raises."""

from collections.abc import Iterator

from ...facts import ExceptionFact, LoadFacts, ModelFacts
from ...report import Problem, Severity
from ..factory_errors import explained_by_others
from ..factory_mistakes import slip_in
from ..registry import check

HINTS = {
    "FileNotFoundError": "check the path: a relative one starts from the current folder.",
    "ImportError": "install the package into this environment.",
    "ConnectionError": "the factory needs the network: load from a local path instead.",
    "TimeoutError": "the factory needs the network: load from a local path instead.",
}
OTHERWISE = "fix the line that raised; it is the last of the frames shown."


@check("TD002", Severity.ERROR)
def factory_fails(load: LoadFacts, model: ModelFacts | None) -> Iterator[Problem]:
    """Building a part of the pipeline raises.

    Why it matters: without the part nothing after it can run.

    How to fix it: the frames shown are your own; the last of them is the line that raised.
    Run that factory alone in a Python session to look around.
    """
    for part in load.parts:
        error = part.error
        if error is None or explained_by_others(part, load, model):
            continue
        yield Problem(
            f"{part.origin or 'building the ' + part.name} raised {error}{_reason(error)}",
            where=f"the {part.name.replace('_', ' ')}",
            hint=_hint(error),
            location=error.location or part.location,
            values={"part": part.name, "type": error.type, "text": error.text},
            stack=error.user_frames,
        )


def _reason(error: ExceptionFact) -> str:
    slip = slip_in(error)
    return f": {slip[0]}." if slip else ""


def _hint(error: ExceptionFact) -> str:
    slip = slip_in(error)
    if slip is not None:
        return slip[1]
    if _is_set_before_init(error):
        return "call super().__init__() first in that module's __init__, before layers are set."
    if _is_of_no_samples(error):
        return (
            "the dataset is empty (0 samples): look at the path or pattern that it is listed from, "
            "at a filter that matches nothing, and at the name of the split."
        )
    return next((text for base, text in HINTS.items() if error.is_a(base)), OTHERWISE)


def _is_of_no_samples(error: ExceptionFact) -> bool:
    """Whether torch's random sampler refused a dataset of length 0."""
    innermost = error.frames[-1] if error.frames else None
    return (
        error.is_a("ValueError")
        and innermost is not None
        and innermost.file.replace("\\", "/").endswith("torch/utils/data/sampler.py")
        and innermost.function == "__init__"
        and "num_samples" in error.text
    )


def _is_set_before_init(error: ExceptionFact) -> bool:
    """Whether a layer was set on an nn.Module whose own __init__ has not run."""
    innermost = error.frames[-1] if error.frames else None
    return (
        error.is_a("AttributeError")
        and innermost is not None
        and innermost.file.replace("\\", "/").endswith("torch/nn/modules/module.py")
        and innermost.function in {"__setattr__", "register_parameter", "register_buffer"}
    )
