from dataclasses import replace

import pytest

from tdebug.pipeline_checks.facts import CallFacts, ExceptionFact, TrainingFacts
from tdebug.pipeline_checks.facts.batches import LeafFact
from tdebug.pipeline_checks.facts.calls import LossCall
from tdebug.pipeline_checks.facts.tensors import TensorFact
from tdebug.pipeline_checks.facts.training import FailureFact
from tdebug.pipeline_checks.report import Location, Stage

LINE = Location("net.py", 12, "forward", "return self.out(x)")


@pytest.fixture
def tensor():
    def make(*shape, dtype="float32", **more):
        return TensorFact(tuple(shape), dtype, **more)

    return make


@pytest.fixture
def error():
    def make(type_="RuntimeError", text="it failed", frames=(LINE,)):
        bases = (type_, "Exception", "BaseException", "object")
        return ExceptionFact(type_, text, bases, frames, frames)

    return make


@pytest.fixture
def failing(error):
    """Training facts whose first batch of two raised in forward."""

    def make(function="", operands=(), inputs=(), *, raised=None, style="pair", **more):
        failure = FailureFact(
            stage=Stage.FORWARD,
            batch=0,
            error=raised or error(),
            indices=(0, 1, 2, 3),
            function=function,
            operands=tuple(operands),
            inputs=tuple(LeafFact(path, "Tensor", shape, "float32") for path, shape in inputs),
        )
        failure = replace(failure, **more)
        return TrainingFacts(
            style, failures=(failure,), batches=(0, 1), indices=((0, 1, 2, 3), (4, 5))
        )

    return make


@pytest.fixture
def loss_call(tensor):
    def make(function="cross_entropy", output=(4, 3), target=(4,), **more):
        target_dtype = more.pop("target_dtype", "int64")
        field = more.pop("field", "[1]")
        given = more.pop("given", {})
        fact = LossCall(
            batch=0,
            function=function,
            input=tensor(*output, requires_grad=True, **given),
            target=tensor(*target, dtype=target_dtype, field=field),
            location=LINE,
            value=1.0,
        )
        if function in {"cross_entropy", "nll_loss"}:
            fact = replace(fact, num_classes=output[1] if len(output) > 1 else output[0])
        return replace(fact, **more)

    return make


@pytest.fixture
def calls(loss_call):
    def make(*args, **more):
        return CallFacts((loss_call(*args, **more),), (), 1)

    return make
