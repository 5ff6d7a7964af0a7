import pytest

from tdebug.pipeline_checks.checks import Undecided
from tdebug.pipeline_checks.checks.dataset.train_validation_overlap import train_validation_overlap
from tdebug.pipeline_checks.facts import LoadFacts, SampleFacts
from tdebug.pipeline_checks.facts.load import PartFact
from tdebug.pipeline_checks.facts.samples import FieldFact, RepeatCount, ShapeCount
from tdebug.pipeline_checks.report import Location, Severity, Stage


def find(*count):
    return list(train_validation_overlap(SampleFacts("Rows", leaked=RepeatCount(*count))))


def test_over_1_percent_is_an_error():
    [problem] = find(100, 4, 7, 36, 20)

    assert problem.severity is Severity.ERROR
    assert problem.message.startswith("4 of 100 evaluation samples (4 %)")
    assert problem.where == "eval_dataset[7] equals dataset[36]"


def test_an_error_is_one_of_the_evaluation_and_at_its_data():
    here = Location("setup.py", 7, "build_eval_dataset")
    load = LoadFacts((PartFact("eval_dataset", "build_eval_dataset()", location=here),))
    facts = SampleFacts("Rows", leaked=RepeatCount(100, 4, 7, 36, 20))

    [problem] = train_validation_overlap(facts, load)

    assert (problem.stage, problem.location) == (Stage.EVALUATE, here)


def test_a_single_copy_is_a_warning():
    [problem] = find(200, 1, 7, 36, 20)

    assert (problem.severity, problem.stage) == (Severity.WARNING, None)


def test_the_same_set_on_both_sides_is_an_info():
    [problem] = train_validation_overlap(SampleFacts("Rows", is_eval_same=True))

    assert problem.severity is Severity.INFO
    [problem] = find(100, 100, 0, 0, 20)
    assert problem.severity is Severity.INFO


def test_separate_sets_and_small_samples_are_no_problem():
    assert not find(100, 0)
    assert not find(100, 40, 1, 2, 3)


def test_without_an_evaluation_set_it_is_said_so():
    with pytest.raises(Undecided):
        list(train_validation_overlap(SampleFacts("Rows")))


def test_few_possible_samples_meet_on_both_sides_by_chance():
    shapes = (ShapeCount((8,), 100, (0,)),)
    bits = FieldFact("[0]", shapes=shapes, min=0, max=1, is_whole=True, mean=0.5)
    facts = SampleFacts("Rows", 100, 100, fields=(bits,), leaked=RepeatCount(100, 40, 7, 36, 9))

    [problem] = train_validation_overlap(facts)

    assert problem.severity is Severity.INFO
