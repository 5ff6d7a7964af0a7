import pytest

from tdebug.pipeline_checks.checks import Undecided
from tdebug.pipeline_checks.checks.dataset.duplicate_samples import duplicate_samples
from tdebug.pipeline_checks.facts import SampleFacts
from tdebug.pipeline_checks.facts.samples import FieldFact, RepeatCount, ShapeCount
from tdebug.pipeline_checks.report import Severity


def find(*count):
    return list(duplicate_samples(SampleFacts("Rows", 100, 100, copies=RepeatCount(*count))))


def test_over_2_percent_of_copies_are_found_with_a_pair():
    [problem] = find(100, 12, 48, 0, 10)

    assert problem.message.startswith("12 of 100 samples (12 %) are exact copies (duplicates)")
    assert problem.where == "dataset[48] equals dataset[0]"


@pytest.mark.parametrize(
    "count", [(1000, 12, 48, 0, 10), (100, 4, 48, 0, 10), (100, 12, 48, 0, 3), (100, 0)]
)
def test_few_copies_and_small_samples_are_left_alone(count):
    assert not find(*count)


def test_samples_that_were_not_compared_are_said_to_be_so():
    with pytest.raises(Undecided):
        list(duplicate_samples(SampleFacts("Rows")))


def bits(numel, mean=0.5):
    shapes = (ShapeCount((numel,), 100, (0,)),)
    return FieldFact("[0]", shapes=shapes, min=0, max=1, is_whole=True, mean=mean)


@pytest.mark.parametrize("field", [bits(8), bits(16, mean=1 / 16)])
def test_copies_among_few_possible_samples_are_an_info(field):
    copies = RepeatCount(100, 40, 48, 0, 10)

    [problem] = duplicate_samples(SampleFacts("Rows", 100, 100, fields=(field,), copies=copies))

    assert problem.severity is Severity.INFO


def test_copies_among_many_possible_samples_stay_a_warning():
    copies = RepeatCount(100, 40, 48, 0, 10)

    [problem] = duplicate_samples(SampleFacts("Rows", 100, 100, fields=(bits(64),), copies=copies))

    assert problem.severity is None


def test_a_stream_may_repeat_its_samples():
    facts = SampleFacts(
        "Stream", None, 100, is_iterable=True, copies=RepeatCount(100, 40, 48, 0, 10)
    )

    [problem] = duplicate_samples(facts)

    assert problem.severity is Severity.INFO
