"""Schedules that raise, or that count other steps than training takes."""

import pytest

from tdebug.pipeline_checks.checks.step.schedule_does_not_fit import schedule_does_not_fit
from tdebug.pipeline_checks.checks.step.scheduler_fails import scheduler_fails
from tdebug.pipeline_checks.facts import LoaderFacts
from tdebug.pipeline_checks.facts.schedule import ScheduleFact
from tdebug.pipeline_checks.report import Severity

ERROR = "IndexError: list index out of range"


def known(num_steps=300, per_epoch=100, num_epochs=3, **more):
    return ScheduleFact(
        "Schedule", num_steps=num_steps, per_epoch=per_epoch, num_epochs=num_epochs, **more
    )


@pytest.fixture
def fails(optimizers, loop):
    def find(fact, *batches, num_batches=50):
        facts = optimizers(schedules=(fact,))
        return list(scheduler_fails(facts, loop(*batches), LoaderFacts(num_batches=num_batches)))

    return find


@pytest.fixture
def misfits(optimizers, loop):
    def find(fact, *batches, num_batches=50):
        facts = optimizers(schedules=(fact,))
        loader = LoaderFacts(num_batches=num_batches)
        return list(schedule_does_not_fit(facts, loop(*batches), loader))

    return find


def test_a_first_step_that_raises_is_found_in_any_loop(fails):
    (problem,) = fails(ScheduleFact("LambdaLR", num_tried=1, raises_at=1, error=ERROR))

    assert problem.message == f"LambdaLR raises at step 1, its first: {ERROR}."
    assert problem.severity is None


@pytest.mark.parametrize("allowed", [3, 100, 250])
def test_steps_that_are_used_up_before_the_end_are_found(fails, allowed):
    (problem,) = fails(known(limit=allowed))

    assert f"raises at step {allowed + 1}, and training steps it 300 times" in problem.message
    assert "(3 epochs of 100 updates, one step an update)" in problem.message
    assert problem.hint == "give it total_steps=300."
    assert problem.severity is None


def test_steps_that_fit_on_several_processes_are_only_mentioned(fails):
    (problem,) = fails(known(limit=75))

    assert problem.severity is Severity.INFO


@pytest.mark.parametrize(
    "fact",
    [
        known(limit=300),
        known(raises_at=301, error=ERROR),
        ScheduleFact("LambdaLR", raises_at=30, error=ERROR),
        known(),
    ],
)
def test_a_scheduler_that_lasts_is_fine(fails, fact):
    assert not fails(fact)


def test_the_user_s_own_loop_may_end_before_its_first_epoch(fails):
    (problem,) = fails(ScheduleFact("OneCycleLR", limit=30), "zbsc", "zbsc")

    assert "after each of the 50 batches of an epoch" in problem.message
    assert problem.severity is Severity.INFO
    assert not fails(ScheduleFact("OneCycleLR", limit=30), "zbsc", "zbs")
    assert not fails(ScheduleFact("OneCycleLR", limit=50), "zbsc", "zbsc")


def test_epochs_counted_as_updates_are_found(misfits):
    (problem,) = misfits(known(half_period=3))

    assert "is counted in epochs: its rate is lowest after 3 steps" in problem.message
    assert problem.hint == "give it the number of these steps, 300."
    assert problem.severity is None


def test_updates_counted_as_epochs_are_found(misfits):
    (problem,) = misfits(known(3, limit=300, is_by_epoch=True))

    assert "is counted in updates, 300 of them, and training steps it 3 times" in problem.message
    assert "interval" in problem.hint


@pytest.mark.parametrize(
    ("gone", "severity"),
    [(3, None), (100, None), (20, None), (150, Severity.INFO)],
)
def test_a_rate_that_is_gone_before_the_end_is_found(misfits, gone, severity):
    (problem,) = misfits(known(gone_from=gone))

    assert f"leaves next to nothing of the learning rate after {gone} steps" in problem.message
    assert problem.severity is severity


@pytest.mark.parametrize(
    "fact",
    [
        known(half_period=300),
        known(half_period=50),  # turns on purpose
        known(half_period=100),  # once an epoch
        known(gone_from=300),
        known(3, limit=3, is_by_epoch=True),
        known(3, half_period=10, is_by_epoch=True),
        known(),
        ScheduleFact("CosineAnnealingLR", half_period=3),
    ],
)
def test_a_schedule_that_fits_is_fine(misfits, fact):
    assert not misfits(fact)


@pytest.mark.parametrize("fact", [{"half_period": 20}, {"gone_from": 20}])
def test_the_end_of_the_user_s_own_loop_is_not_known(misfits, fact):
    (problem,) = misfits(ScheduleFact("Schedule", **fact), "zbsc", "zbsc")

    assert problem.severity is Severity.INFO
    assert not misfits(ScheduleFact("Schedule", **fact), "zbsc", "zbsc", num_batches=10)
