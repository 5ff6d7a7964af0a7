"""TD303: two dtypes that an operator does not take together."""

from collections.abc import Iterator

from ...facts import CallFacts, TrainingFacts
from ...facts.calls import LossCall
from ...facts.tensors import TensorFact
from ...facts.training import FailureFact
from ...report import Problem, Severity, Stage
from ..dtype_rules import cast_hint, find_dtype_clash
from ..failures import first_failure, inputs_text, module_name, place, tensor_name
from ..loss_arguments import find_weight_clash
from ..registry import check
from ..wording import batch, shape_text


@check("TD303", Severity.ERROR)
def dtype_mismatch(training: TrainingFacts, calls: CallFacts | None) -> Iterator[Problem]:
    """A layer or a loss gets a dtype that does not go with its own.

    Why it matters: layers never convert; a float64 array from numpy, integer features or a model
    half-converted to float16 stop the forward, or first the backward.

    How to fix it: cast at the source: `.float()` in the dataset, ids as int64 into embeddings, and
    mixed precision by `torch.autocast` in place of `.half()`.
    """
    failure = first_failure(training, Stage.FORWARD)
    clash = find_dtype_clash(failure) if failure is not None else None
    if failure is not None and clash is not None:
        given, other = clash
        inputs = inputs_text(failure)
        yield Problem(
            f"{module_name(failure)} holds {other.dtype} ({tensor_name(other, 'its weight')}) but "
            f"gets {given.dtype}: {tensor_name(given, 'its input')} is {given}.",
            where=place(failure, training) + (f"; the batch is {inputs}" if inputs else ""),
            hint=cast_hint(given, other, failure),
            location=failure.error.location,
            values={"got": given.dtype, "expected": other.dtype, "field": given.field},
            stack=failure.error.user_frames,
        )
        return
    weight = find_weight_clash(failure) if failure is not None else None
    if failure is not None and weight is not None:
        yield _of_weight(failure, weight, training)
        return
    yield from _in_loss(training, calls)


def _of_weight(failure: FailureFact, weight: TensorFact, training: TrainingFacts) -> Problem:
    """Class weights as numpy makes them, against an output of float32."""
    output = failure.operands[0]
    return Problem(
        f"{failure.function} gets class weights {shape_text(weight.shape)} of {weight.dtype}, but "
        f"an output of {output.dtype}.",
        where=place(failure, training),
        hint=f"give the loss weights of the output's dtype: weight.to(torch.{output.dtype})"
        + ("; numpy and sklearn make float64." if weight.dtype == "float64" else "."),
        location=failure.error.location,
        values={"got": weight.dtype, "expected": output.dtype},
        stack=failure.error.user_frames,
    )


def _in_loss(training: TrainingFacts, calls: CallFacts | None) -> Iterator[Problem]:
    """Floats of two kinds, which some losses take and only their backward refuses."""
    for failure in training.failures:
        if failure.stage not in {Stage.FORWARD, Stage.BACKWARD}:
            continue
        for call in calls.losses if calls else ():
            if call.batch == failure.batch and _is_clash(call, failure.stage):
                yield Problem(
                    f"{call.name} gets an output of {call.input.dtype} and a target of "
                    f"{call.target.dtype} ({tensor_name(call.target, 'the target')}); "
                    f"the {failure.stage} refuses that.",
                    where=batch(failure.batch, failure.indices),
                    hint=cast_hint(call.target, call.input),
                    location=call.location or failure.error.location,
                    values={"input": call.input.dtype, "target": call.target.dtype},
                    stage=failure.stage,
                )
                return


def _is_clash(call: LossCall, stage: Stage) -> bool:
    differ = call.input.dtype != call.target.dtype and call.num_classes is None
    both_float = call.input.is_floating and call.target.is_floating
    return differ and both_float and (stage is Stage.BACKWARD or call.value is None)
