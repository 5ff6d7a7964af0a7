from dataclasses import replace

from tdebug.pipeline_checks.checks.collate.collate_fails import collate_fails
from tdebug.pipeline_checks.facts import BatchFacts, ExceptionFact, LoaderFacts
from tdebug.pipeline_checks.facts.batches import BatchFact
from tdebug.pipeline_checks.report import Location

LINE = Location("data.py", 9, "collate")
ERROR = ExceptionFact("KeyError", "'mask'", user_frames=(LINE,))


def test_the_collate_function_the_samples_and_the_line_are_named():
    batches = BatchFacts((BatchFact(0, (0, 1), 2), BatchFact(1, (2, 3), 2, error=ERROR)))

    [problem] = collate_fails(batches, LoaderFacts(collate="collate", collate_kind="user"))

    assert problem.message == "collate raised KeyError: 'mask' (1 of 2 batches)."
    assert problem.where == "batch 1 (samples 2 and 3)"
    assert "for i in (2, 3)" in problem.hint
    assert problem.location == LINE


def test_a_last_batch_of_fewer_samples_is_told_as_that():
    odd = BatchFact(1, (2, 3, 4), 3, error=ERROR, is_last=True)
    even = BatchFact(0, (0, 1, 7, 8), 4)

    [problem] = collate_fails(BatchFacts((even, odd)), LoaderFacts(collate="collate"))
    [other] = collate_fails(BatchFacts((replace(even, error=ERROR), odd)), LoaderFacts())

    assert "the last batch, which has 3 samples instead of 4" in problem.hint
    assert "drop_last=True" in problem.hint
    assert "for i in (2, 3, 4)" in problem.hint
    assert "drop_last" not in other.hint


def test_batches_that_can_be_made_are_no_problem():
    assert not list(collate_fails(BatchFacts((BatchFact(0),)), None))


def test_a_sampler_that_raises_is_told_from_the_collate_function():
    [problem] = collate_fails(
        BatchFacts((BatchFact(0, error=ERROR, was_drawn=False),)), LoaderFacts(sampler="Buckets")
    )

    assert problem.message.startswith("the sampler (Buckets) raised KeyError: 'mask' while it")
    assert problem.location == LINE


def test_a_loader_of_the_users_own_is_named():
    batches = BatchFacts((BatchFact(0), BatchFact(1, error=ERROR)))

    [problem] = collate_fails(batches, LoaderFacts("Shards", collate="none", yields_batches=True))

    assert problem.message == "the loader (Shards) raised KeyError: 'mask' (1 of 2 batches)."
    assert problem.hint == "go through the loader by hand up to that batch."
