from tdebug.pipeline_checks.checks.forward.real_class_ignored import real_class_ignored
from tdebug.pipeline_checks.facts import CallFacts


def find(loss_call, num_ignored, ignore_index=0, output=(64, 2)):
    call = loss_call(
        output=output,
        target=(output[0],),
        options={"ignore_index": ignore_index},
        num_ignored=num_ignored,
    )
    return list(real_class_ignored(CallFacts((call,)), None))


def test_one_of_two_classes_that_is_ignored_leaves_the_other(loss_call):
    [problem] = find(loss_call, 40)
    assert "40 of 64 targets do not count" in problem.message
    assert "all that are left are class 1" in problem.message


def test_padding_the_usual_number_and_other_classes_are_free(loss_call):
    assert not find(loss_call, 40, ignore_index=-100)
    assert not find(loss_call, 40, output=(64, 3))
    assert not find(loss_call, 2)
    assert not find(loss_call, 64)


def test_another_loss_that_ignores_the_other_class_counts_what_is_left_out(loss_call):
    calls = [
        loss_call(output=(64, 2), target=(64,), options={"ignore_index": i}, num_ignored=32)
        for i in (0, 1)
    ]
    assert not list(real_class_ignored(CallFacts(tuple(calls)), None))
