import pytest

from tdebug.pipeline_checks.checks.collate.batch_of_one_meets_batchnorm import (
    batch_of_one_meets_batchnorm,
)
from tdebug.pipeline_checks.facts import ExceptionFact, LoaderFacts, TrainingFacts
from tdebug.pipeline_checks.facts.training import FailureFact
from tdebug.pipeline_checks.report import Stage


def training(indices=(32,), kind="ValueError", module="BatchNorm1d"):
    failure = FailureFact(
        Stage.FORWARD,
        4,
        ExceptionFact(kind, "x", (kind,)),
        indices,
        module="net.1",
        module_type=module,
    )
    return TrainingFacts("pair", failures=(failure,))


def test_the_arithmetic_of_the_last_batch_is_shown():
    loader = LoaderFacts(batch_size=8, num_samples=33)

    [problem] = batch_of_one_meets_batchnorm(training(), loader, None, None)

    assert problem.message.startswith("33 samples in batches of 8 leave a last batch of 1")
    assert "BatchNorm1d 'net.1'" in problem.message
    assert problem.where == "batch 4 (sample 32)"
    assert "drop_last=True" in problem.hint


def test_a_batch_size_of_1_has_its_own_advice():
    loader = LoaderFacts(batch_size=1, num_samples=33)

    [problem] = batch_of_one_meets_batchnorm(training(), loader, None, None)

    assert "a batch holds 1 sample" in problem.message
    assert "GroupNorm" in problem.hint


@pytest.mark.parametrize(
    "facts",
    [
        training((3, 4)),
        training(module="Linear"),
        training(kind="RuntimeError"),
        TrainingFacts("pair"),
    ],
)
def test_other_failures_are_left_alone(facts):
    assert not list(batch_of_one_meets_batchnorm(facts, None, None, None))
