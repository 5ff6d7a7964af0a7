import pytest

from tdebug.pipeline_checks.facts import ExceptionFact, TrainingFacts
from tdebug.pipeline_checks.facts.training import FailureFact, LossFact
from tdebug.pipeline_checks.report import Location, Stage

LINE = Location("train.py", 30, "train", "loss.backward()")


@pytest.fixture
def failing():
    """Training facts of three batches, one of which raised in backward."""

    def make(text="it failed", *, batch=0, kind="RuntimeError", style="pair"):
        bases = (kind, "Exception", "BaseException", "object")
        error = ExceptionFact(kind, text, bases, (LINE,), (LINE,))
        indices = ((0, 1), (2, 3), (4, 5))
        failure = FailureFact(Stage.BACKWARD, batch, error, indices[batch])
        losses = tuple(
            LossFact(n, "Tensor", (), "float32", 0.7, requires_grad=True, made_by="MeanBackward0")
            for n in range(3)
        )
        return TrainingFacts(style, losses, (failure,), batches=(0, 1, 2), indices=indices)

    return make


@pytest.fixture
def with_loss():
    """Training facts of one batch with this loss and no failure."""

    def make(style="pair", failures=(), **more):
        given = {"type": "Tensor", "shape": (), "dtype": "float32", "value": 0.7, **more}
        loss = LossFact(0, **given)
        return TrainingFacts(style, (loss,), failures, batches=(0,), indices=((0, 1),))

    return make
