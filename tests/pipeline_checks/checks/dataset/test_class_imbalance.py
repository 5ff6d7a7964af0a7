from dataclasses import replace

import pytest

from tdebug.pipeline_checks.checks import Undecided
from tdebug.pipeline_checks.checks.dataset.class_imbalance import class_imbalance
from tdebug.pipeline_checks.facts import BatchFacts, CallFacts, LoaderFacts, ModelFacts, SampleFacts
from tdebug.pipeline_checks.facts.calls import LossCall
from tdebug.pipeline_checks.facts.samples import FieldFact, KindCount, ShapeCount, ValueCount
from tdebug.pipeline_checks.facts.tensors import TensorFact
from tdebug.pipeline_checks.report import Severity

NET = ModelFacts("Net")


def samples(*counts, length=None, shape=()):
    total = sum(counts)
    values = tuple(ValueCount(i, count, i) for i, count in enumerate(counts) if count)
    field = FieldFact(
        "[1]", (KindCount("int", 0, total, 0),), (ShapeCount(shape, total, (0,)),), values=values
    )
    containers = (KindCount("tuple", None, total, 0),)
    return SampleFacts("Rows", length or total, total, containers, (FieldFact("[0]"), field))


def loss(**options):
    call = LossCall(
        0,
        "cross_entropy",
        TensorFact((8, 2), "float32"),
        TensorFact((8,), "int64", field="[1]"),
        options=options,
        num_classes=2,
    )
    return CallFacts((call,))


def find(given, calls, loader=None):
    return list(class_imbalance(given, NET, loader or LoaderFacts(), calls))


def test_twenty_to_one_is_a_warning():
    [problem] = find(samples(240, 10), loss())

    assert problem.message == "class 0 has 240 samples, class 1 has 10: 24 to 1."
    assert problem.severity is None


def test_ten_to_one_is_an_info():
    [problem] = find(samples(230, 20), loss())

    assert problem.severity is Severity.INFO


def test_losses_of_single_samples_may_be_weighed_by_hand():
    [problem] = find(samples(240, 10), loss(reduction="none"))

    assert problem.severity is Severity.INFO


@pytest.mark.parametrize(
    ("given", "calls", "loader"),
    [
        (samples(150, 100), loss(), None),
        (samples(95, 4), loss(), None),
        (samples(240, 10, length=5000), loss(), None),
        (samples(240, 10, shape=(8, 8)), loss(), None),
        (samples(240, 10), loss(has_weight=True), None),
        (samples(240, 10), loss(), LoaderFacts(sampler="WeightedRandomSampler")),
        (samples(240, 10), CallFacts(), None),
    ],
)
def test_balanced_few_weighted_or_unseen_labels_are_left_alone(given, calls, loader):
    assert not find(given, calls, loader)


def test_the_check_waits_for_the_loss():
    with pytest.raises(Undecided):
        find(samples(240, 10), None)


def test_a_sampler_of_the_users_own_may_balance_the_classes():
    with pytest.raises(Undecided):
        find(samples(240, 10), loss(), LoaderFacts(sampler="BalancedSampler"))


def seen_whole(given, number):
    *others, field = given.fields
    return replace(given, fields=(*others, replace(field, num_seen=number)))


def test_labels_known_from_their_whole_column_are_enough():
    [problem] = find(seen_whole(samples(4800, 200, length=5000), 5000), loss())

    assert problem.where == "[1] of all 5000 samples"


def test_labels_that_are_no_classes_are_not_the_rare_class():
    assert not find(samples(240, 240, 1), loss())


def by_length(is_each_once):
    loader, batches = LoaderFacts(sampler="ByLength"), BatchFacts(is_each_once=is_each_once)
    return list(class_imbalance(samples(240, 10), NET, loader, loss(), batches))


def test_a_sampler_of_the_users_that_draws_each_sample_once_balances_nothing():
    [problem] = by_length(is_each_once=True)

    assert "24 to 1" in problem.message


@pytest.mark.parametrize("is_each_once", [False, None])
def test_a_sampler_of_the_users_that_chooses_may_balance(is_each_once):
    with pytest.raises(Undecided, match="ByLength decides"):
        by_length(is_each_once)


def test_labels_of_one_class_are_found():
    [problem] = find(samples(0, 400), loss())

    assert problem.message.startswith("all 400 labels are class 1")
    assert problem.severity is None


def test_among_many_classes_some_are_rare():
    calls = CallFacts((replace(loss().losses[0], num_classes=30),))

    [problem] = find(samples(*[100] * 29, 2), calls)

    assert problem.severity is Severity.INFO


def test_labels_of_one_class_are_told_in_a_small_dataset_too():
    [problem] = find(samples(48), loss())

    assert problem.message == "all 48 labels are class 0: there is nothing to tell apart."


def test_a_handful_of_samples_of_one_class_may_be_a_first_try():
    assert not find(samples(16), loss())
