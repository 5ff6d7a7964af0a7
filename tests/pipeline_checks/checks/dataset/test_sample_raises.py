from tdebug.pipeline_checks.checks.dataset.sample_raises import sample_raises
from tdebug.pipeline_checks.facts import ExceptionFact, SampleFacts
from tdebug.pipeline_checks.facts.samples import FailedSample, ObjectArray
from tdebug.pipeline_checks.report import Location

LINE = Location("data.py", 12, "__getitem__")


def error(kind="OSError", text="image file is truncated", line=LINE):
    return ExceptionFact(kind, text, (kind, "Exception"), user_frames=(line,))


def samples(*failed, length=20, last=19, **more):
    return SampleFacts(
        "Photos",
        length,
        length,
        failed=failed,
        num_failed=len(failed),
        last_readable=last,
        **more,
    )


def test_the_sample_its_exception_and_the_line_are_named():
    [problem] = sample_raises(samples(FailedSample(6, error())))

    assert problem.message == "dataset[6] raises OSError: image file is truncated"
    assert problem.where == "dataset[6] (1 of 20 samples cannot be read)"
    assert problem.location == LINE
    assert "damaged" in problem.hint


def test_a_length_that_promises_too_much_has_its_own_words():
    failed = [FailedSample(i, error("IndexError", "list index out of range")) for i in (18, 19)]

    [problem] = sample_raises(samples(*failed, last=17))

    assert problem.message.startswith("len(dataset) is 20, but from dataset[18] on")
    assert "dataset[17]" in problem.message
    assert "__len__" in problem.hint


def test_an_index_error_in_the_middle_is_no_matter_of_length():
    [problem] = sample_raises(samples(FailedSample(4, error("IndexError", "x"))))

    assert problem.message.startswith("dataset[4] raises IndexError")


def test_different_causes_are_told_apart():
    other = error("KeyError", "'width'", Location("data.py", 20))

    problems = list(
        sample_raises(
            samples(FailedSample(1, error()), FailedSample(2, other), FailedSample(3, error()))
        )
    )

    assert [p.values["indices"] for p in problems] == [[1, 3], [2]]


def test_a_length_that_raises_is_named_as_such():
    facts = SampleFacts("Rows", failed=(FailedSample(0, error("TypeError", "x")),), num_failed=1)

    [problem] = sample_raises(facts)

    assert problem.message == "len(dataset) raises TypeError: x"


def test_a_stream_that_raises_tells_how_far_it_came():
    facts = SampleFacts(
        "Lines", num_read=8, is_iterable=True, failed=(FailedSample(7, error()),), num_failed=1
    )

    [problem] = sample_raises(facts)

    assert problem.message.startswith("sample 7 of the stream raises OSError")


def test_object_arrays_are_left_to_their_own_check():
    array = ObjectArray("row", (3,), (("str", "'a'"),))

    assert not list(sample_raises(samples(FailedSample(0, error("TypeError"), (array,)))))


def test_a_label_that_a_table_does_not_have_is_no_missing_key():
    table = Location("pandas/core/indexes/base.py", 3812, "get_loc")
    missing = ExceptionFact("KeyError", "4", ("KeyError",), (LINE, table), (LINE,))

    [problem] = sample_raises(samples(FailedSample(4, missing)))

    assert ".iloc" in problem.hint
    assert "reset_index" in problem.hint
