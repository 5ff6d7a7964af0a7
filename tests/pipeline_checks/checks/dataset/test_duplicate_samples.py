import pytest

from tdebug.pipeline_checks.checks import Undecided
from tdebug.pipeline_checks.checks.dataset.duplicate_samples import duplicate_samples
from tdebug.pipeline_checks.facts import SampleFacts
from tdebug.pipeline_checks.facts.samples import RepeatCount


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
