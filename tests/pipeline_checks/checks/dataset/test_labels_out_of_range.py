from dataclasses import replace

import pytest

from tdebug.pipeline_checks.checks import Undecided
from tdebug.pipeline_checks.checks.dataset.labels_out_of_range import labels_out_of_range
from tdebug.pipeline_checks.facts import (
    CallFacts,
    LoaderFacts,
    LoadFacts,
    ModelFacts,
    SampleFacts,
    TrainingFacts,
)
from tdebug.pipeline_checks.facts.calls import BadEntry, LossCall
from tdebug.pipeline_checks.facts.samples import FieldFact, KindCount, ShapeCount, ValueCount
from tdebug.pipeline_checks.facts.tensors import TensorFact

NET = ModelFacts("Net")
DEFAULT, USER = LoaderFacts(), LoaderFacts(collate_kind="user")


def samples(path, *values, shape=(), kind="int"):
    entries = tuple(ValueCount(*value) for value in values)
    count = sum(entry.count for entry in entries)
    field = FieldFact(
        path,
        (KindCount(kind, len(shape), count, 0),),
        (ShapeCount(shape, count, (0,)),),
        count,
        values=entries,
        min=entries[0].value,
        max=entries[-1].value,
        is_whole=True,
    )
    return SampleFacts("Rows", 40, 40, (KindCount("tuple", None, 40, 0),), (field,))


def call(field="[1]", classes=3, shape=(4,), **more):
    target = TensorFact(shape, "int64", field=field)
    found = LossCall(
        0, "cross_entropy", TensorFact((4, classes), "float32"), target, num_classes=classes, **more
    )
    return CallFacts((found,), num_batches=1)


ONE_BASED = samples("[1]", (1, 18, 0), (2, 17, 1), (3, 5, 17))


def test_one_based_labels_are_recognised_with_the_first_offender():
    [problem] = labels_out_of_range(ONE_BASED, NET, DEFAULT, call())

    assert "labels run from 1 to 3, but there are 3 outputs" in problem.message
    assert "valid labels are 0 to 2" in problem.message
    assert problem.where == "dataset[17][1] = 3 (5 of 40 samples; class 0 never occurs)"
    assert "subtract 1" in problem.hint
    assert problem.values["num_samples"] == 5


def test_a_transformers_classifier_tells_its_classes_before_any_forward():
    model = ModelFacts("BertForX", num_classes=2, num_classes_from="config.num_labels")

    [problem] = labels_out_of_range(
        samples('["label"]', (0, 20, 0), (2, 20, 1)), model, DEFAULT, None
    )

    assert "2 outputs (config.num_labels)" in problem.message
    assert "3 outputs" in problem.hint
    assert "num_labels=3" in problem.hint


def test_where_the_field_is_unknown_the_batch_tells():
    bad = BadEntry(7, row=2, index=22, num_rows=1)

    [problem] = labels_out_of_range(
        ONE_BASED, NET, USER, call(None, bad_target=bad, target_min=0, target_max=7)
    )

    assert "run from 0 to 7" in problem.message
    assert problem.where == "label 7 of sample 22"


def test_minus_one_is_offered_as_ignore_index():
    [problem] = labels_out_of_range(
        samples("[1]", (-1, 3, 5), (0, 20, 0), (1, 17, 1)), NET, DEFAULT, call()
    )

    assert "ignore_index=-1" in problem.hint


def test_the_check_waits_for_the_loss():
    with pytest.raises(Undecided):
        list(labels_out_of_range(ONE_BASED, NET, DEFAULT, None))


@pytest.mark.parametrize(
    ("given", "loader", "calls"),
    [
        (samples("[1]", (0, 20, 0), (2, 20, 1)), DEFAULT, call()),
        # the user's collate function subtracts 1
        (ONE_BASED, USER, call(target_min=0, target_max=2)),
        # void of a segmentation
        (
            samples("[1]", (0, 40, 0), (255, 40, 0), shape=(8, 8)),
            DEFAULT,
            call(shape=(4, 8, 8), options={"ignore_index": 255}),
        ),
        # one column of several targets
        (samples("[1]", (0, 40, 0), (9, 40, 0), shape=(3,)), DEFAULT, call()),
        (samples("[1]", (-100, 40, 0), (1, 40, 0), shape=(8,)), DEFAULT, call(shape=(4, 8))),
    ],
)
def test_labels_that_the_loss_takes_are_no_problem(given, loader, calls):
    assert not list(labels_out_of_range(given, NET, loader, calls))


def test_a_target_that_comes_from_another_field_in_the_next_batch_is_no_field_of_the_samples():
    calls = CallFacts((*call("[1]").losses, *call("[0]").losses))

    assert not list(labels_out_of_range(ONE_BASED, NET, DEFAULT, calls))


def test_the_config_says_nothing_where_the_loss_is_not_the_models_own():
    model = ModelFacts("BertForX", num_classes=2, num_classes_from="config.num_labels")
    groups = samples('["label"]', (100, 20, 0), (101, 20, 1))

    with pytest.raises(Undecided):
        list(labels_out_of_range(groups, model, DEFAULT, None, LoadFacts(has_own_loss=True)))


def run_with(*losses, failures=()):
    training = TrainingFacts(batches=(0, 7), indices=((0, 1), (16, 17)), failures=failures)
    return training, CallFacts(tuple(losses), num_batches=2)


def test_a_label_that_the_loss_was_not_given_with_its_batch_is_left_out_on_purpose():
    training, calls = run_with(*call().losses, replace(call(None).losses[0], batch=7))

    assert not list(labels_out_of_range(ONE_BASED, NET, DEFAULT, calls, None, training))


def test_a_label_whose_batch_was_not_run_is_not_left_out():
    training, calls = run_with(*call().losses)

    [problem] = labels_out_of_range(ONE_BASED, NET, DEFAULT, calls, None, training)

    assert problem.where.startswith("dataset[17][1] = 3")


def test_all_labels_of_a_column_that_was_looked_at_are_counted():
    [field] = ONE_BASED.fields
    known = replace(ONE_BASED, fields=(replace(field, num_seen=900),))

    [problem] = labels_out_of_range(known, NET, DEFAULT, call())

    assert "(5 of 900 samples; class 0 never occurs)" in problem.where
