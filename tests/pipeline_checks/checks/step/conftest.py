import pytest

from tdebug.pipeline_checks.facts import ModelFacts, OptimizerFacts, StepFacts
from tdebug.pipeline_checks.facts.model import ParameterFact
from tdebug.pipeline_checks.facts.optimizer import GroupFact, OptimizerFact
from tdebug.pipeline_checks.facts.step import StepCall
from tdebug.pipeline_checks.report import Location

SHORT = {"z": "zero_grad", "b": "backward", "s": "step", "c": "scheduler", "u": "unscale"}
SHORT |= {"S": "scaler_step", "n": "clip"}


@pytest.fixture
def model():
    def make(*names, frozen=(), dtype="float32", shapes=None):
        shapes = shapes or {}
        return ModelFacts(
            "Net",
            location=Location("net.py", 5),
            parameters=tuple(
                ParameterFact(n, shapes.get(n, (2, 3)), dtype, "cpu", n not in frozen)
                for n in names
            ),
        )

    return make


@pytest.fixture
def optimizers():
    """Optimizer facts with one optimizer of one group."""

    def make(kind="SGD", lr=0.1, *, dtypes=("float32",), num_foreign=0, shapes=(), **more):
        numbers = more.pop("numbers", {})
        one = OptimizerFact(kind, (GroupFact(lr, numbers, 4),), dtypes, num_foreign, tuple(shapes))
        return OptimizerFacts((one,), **more)

    return make


@pytest.fixture
def loop():
    """Step facts of a loop whose batches are written as letters: `zbs` is the right order."""

    def make(*batches, stepped_without=None, backward_with=None, **more):
        had = {"s": stepped_without, "S": stepped_without, "b": backward_with}
        calls = tuple(
            tuple(
                StepCall(SHORT[letter], None, Location("train.py", line), had.get(letter))
                for line, letter in enumerate(letters, 10)
            )
            for letters in batches
        )
        return StepFacts(was_taken=True, calls=calls, **more)

    return make
