from types import SimpleNamespace

import pytest

from tdebug.pipeline_checks.pipeline import Pipeline
from tdebug.pipeline_checks.pipeline.training_length import TrainingLength, training_length

BATCHES = [None] * 10


def of_lightning(interval=("step", 1), loader=BATCHES, made_up=(), model=None, **trainer):
    plain = {
        "max_epochs": 3,
        "max_steps": -1,
        "accumulate_grad_batches": 1,
        "limit_train_batches": 1.0,
    }
    pipeline = Pipeline(
        model=model,
        scheduler=object(),
        dataloader=loader,
        lightning=SimpleNamespace(**{**plain, **trainer}),
        intervals=(interval,) if interval else (),
        made_up=set(made_up),
    )
    return training_length(pipeline, 0)


@pytest.mark.parametrize(
    ("interval", "trainer", "length"),
    [
        (("step", 1), {}, TrainingLength(30, 10, 3)),
        (("step", 2), {}, TrainingLength(15, 10, 3)),
        (("step", 1), {"accumulate_grad_batches": 4}, TrainingLength(9, 3, 3)),
        (("step", 1), {"limit_train_batches": 0.5}, TrainingLength(15, 5, 3)),
        (("step", 1), {"limit_train_batches": 2}, TrainingLength(6, 2, 3)),
        (("step", 1), {"max_steps": 12}, TrainingLength(12, 10, 2)),
        (("epoch", 1), {}, TrainingLength(3, 10, 3, is_by_epoch=True)),
        (None, {}, TrainingLength(3, 10, 3, is_by_epoch=True)),
    ],
)
def test_a_lightning_trainer_tells_its_length(interval, trainer, length):
    assert of_lightning(interval, **trainer) == length


@pytest.mark.parametrize(
    "more",
    [
        {"max_epochs": -1},
        {"max_epochs": None},
        {"loader": iter(BATCHES)},
        {"model": SimpleNamespace(automatic_optimization=False)},
    ],
)
def test_a_training_without_an_end_a_length_or_steps_of_its_own_tells_none(more):
    assert of_lightning(**more) is None


def test_a_trainer_that_tdebug_made_up_or_a_loop_of_the_user_s_tells_none():
    assert of_lightning(made_up=["lightning"]) is None
    assert training_length(Pipeline(scheduler=object(), dataloader=BATCHES), 0) is None


def of_trainer(scheduler, *, created=False, given=None, **arguments):
    plain = {"max_steps": -1, "num_train_epochs": 3.0, "gradient_accumulation_steps": 1}
    trainer = SimpleNamespace(
        args=SimpleNamespace(**{**plain, **arguments}),
        lr_scheduler=given or scheduler,
        _created_lr_scheduler=created,
    )
    pipeline = Pipeline(scheduler=scheduler, dataloader=BATCHES, trainer=trainer)
    return training_length(pipeline, 0)


@pytest.mark.parametrize(
    ("arguments", "length"),
    [
        ({}, TrainingLength(30, 10, 3)),
        ({"num_train_epochs": 0.5}, TrainingLength(5, 10, 1)),
        ({"gradient_accumulation_steps": 4}, TrainingLength(9, 3, 3)),
        ({"max_steps": 7}, TrainingLength(7, 10, None)),
    ],
)
def test_a_trainer_tells_the_length_for_a_scheduler_that_it_was_given(arguments, length):
    assert of_trainer(object(), **arguments) == length


def test_a_scheduler_that_a_trainer_makes_itself_fits_by_right():
    assert of_trainer(object(), given=object()) is None
    assert of_trainer(object(), created=True) is None
