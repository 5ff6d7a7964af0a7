import math

import pytest

from tdebug.pipeline_checks.checks import Undecided
from tdebug.pipeline_checks.checks.dataset.non_finite_input import non_finite_input
from tdebug.pipeline_checks.facts import (
    BatchFacts,
    ExceptionFact,
    NumericsFacts,
    SampleFacts,
    TrainingFacts,
)
from tdebug.pipeline_checks.facts.batches import BatchFact
from tdebug.pipeline_checks.facts.samples import BadValue, FieldFact, KindCount, ShapeCount
from tdebug.pipeline_checks.facts.training import LossFact
from tdebug.pipeline_checks.report import Severity


def samples(path="[0]", kind="nan", removed=()):
    field = FieldFact(path, bad=(BadValue(kind, 2, 3, 23, (2,)),))
    return SampleFacts("Weather", 48, 48, fields=(field,), removed=removed)


def trained(value, indices=(20, 21, 22, 23)):
    return TrainingFacts(
        "pair",
        losses=(LossFact(5, "Tensor", (), value=value),),
        batches=(5,),
        indices=(indices,),
    )


def test_a_nan_that_makes_the_loss_nan_is_placed():
    [problem] = non_finite_input(samples(), None, trained(float("nan")), None)

    assert problem.message == "[0] holds nan in 2 of 48 samples (3 values in all)."
    assert problem.where == "dataset[23][0][2] = nan (sample 23, column 2)"
    assert problem.severity is None


def test_a_bad_loss_is_known_from_the_numerics_too():
    bad = NumericsFacts(bad_losses=((5, float("nan")),))

    [problem] = non_finite_input(samples(), None, trained(None), bad)

    assert problem.severity is None


def test_a_nan_in_a_batch_that_was_not_run_is_an_error():
    [problem] = non_finite_input(samples(), None, trained(0.7, (0, 1, 2, 3)), None)

    assert problem.severity is None


def test_a_nan_that_the_loss_survives_is_an_info():
    [problem] = non_finite_input(samples(), None, trained(0.7), None)

    assert problem.severity is Severity.INFO


def test_minus_infinity_in_a_mask_is_an_info():
    [problem] = non_finite_input(
        samples('["attn_mask"]', "-inf"), None, trained(float("nan")), None
    )

    assert problem.severity is Severity.INFO


def test_a_collate_failure_does_not_hide_it():
    failed = BatchFacts((BatchFact(0, error=ExceptionFact("TypeError", "x")),))

    assert list(non_finite_input(samples(), failed, None, None))


def test_the_check_waits_for_the_loss():
    with pytest.raises(Undecided):
        list(non_finite_input(samples(), None, None, None))


def test_removed_columns_and_finite_data_are_no_problem():
    removed = samples('["price"]', removed=("price",))

    assert not list(non_finite_input(removed, None, trained(float("nan")), None))
    assert not list(non_finite_input(SampleFacts("Rows", 4, 4), None, None, None))


def test_a_single_number_of_a_dict_that_no_batch_tried_is_a_warning():
    field = FieldFact(
        '["price"]', shapes=(ShapeCount((), 48, (0,)),), bad=(BadValue("nan", 1, 1, 40, ()),)
    )
    given = SampleFacts("Rows", 48, 48, (KindCount("dict", None, 48, 0),), (field,))

    [problem] = non_finite_input(given, None, trained(0.7), None)

    assert problem.severity is Severity.WARNING


def test_one_nan_in_every_sample_is_a_column_without_spread():
    field = FieldFact("[0]", bad=(BadValue("nan", 48, 48, 0, (2,)),))
    facts = SampleFacts("Weather", 48, 48, fields=(field,))

    [problem] = non_finite_input(facts, None, trained(math.nan, (0, 1)), None)

    assert "standard deviation of 0" in problem.hint
