"""What the ranks of a run do not agree on, from facts written by hand."""

from dataclasses import replace

import pytest

from tdebug.pipeline_checks.checks.distributed.collective_would_hang import collective_would_hang
from tdebug.pipeline_checks.checks.distributed.rank_died import rank_died
from tdebug.pipeline_checks.checks.distributed.rank_raises import rank_raises
from tdebug.pipeline_checks.checks.distributed.rank_silent import rank_silent
from tdebug.pipeline_checks.checks.distributed.ranks_have_different_batches import (
    ranks_have_different_batches,
)
from tdebug.pipeline_checks.checks.distributed.ranks_hold_different_parameters import (
    ranks_hold_different_parameters,
)
from tdebug.pipeline_checks.checks.distributed.ranks_see_same_samples import ranks_see_same_samples
from tdebug.pipeline_checks.checks.registry import Undecided
from tdebug.pipeline_checks.events import Death
from tdebug.pipeline_checks.facts import DistributedFacts, ExceptionFact, LoadFacts
from tdebug.pipeline_checks.facts.distributed import (
    RankAbsence,
    RankCall,
    RankData,
    RankFacts,
    RankFailure,
    RankTraining,
)
from tdebug.pipeline_checks.facts.load import PartFact
from tdebug.pipeline_checks.report import Location, Severity, Stage

LINE = Location("train.py", 44, "evaluate", "dist.all_gather(out, x)")


def ranks(*facts):
    return DistributedFacts(tuple(replace(f, rank=n) for n, f in enumerate(facts)))


def passes(*data):
    return ranks(*(RankFacts(0, data=one) for one in data))


def indices(*numbers, **more):
    return RankData(
        3, len(numbers), samples=tuple(map(str, numbers)), are_indices=True, num_total=22, **more
    )


def test_each_rank_is_named_with_its_number_of_batches():
    facts = passes(RankData(5, 20), RankData(4, 16), RankData(5, 19))

    (problem,) = ranks_have_different_batches(facts)

    assert "ranks 0 and 2" not in problem.message  # they differ in their samples
    assert "rank 1: 4 batches (16 samples)" in problem.message
    assert problem.where.startswith("ranks 0 and 2 would wait in the backward pass of batch 4")
    assert problem.values == {"batches": {"0": 5, "1": 4, "2": 5}}


def test_equal_numbers_are_right_and_streams_without_an_end_undecided():
    assert list(ranks_have_different_batches(passes(RankData(5, 20), RankData(5, 18)))) == []
    with pytest.raises(Undecided):
        list(ranks_have_different_batches(passes(RankData(9, 36, is_whole=False), RankData(4, 16))))


def test_ranks_with_the_same_indices_are_found():
    (problem,) = ranks_see_same_samples(
        passes(indices(*range(22), sampler="RandomSampler"), indices(*range(22)))
    )

    assert "all 22 samples that rank 0 sees, chosen by RandomSampler" in problem.message
    assert "DistributedSampler" in problem.hint


def test_streams_that_repeat_themselves_are_found_by_their_values():
    one = RankData(3, 12, samples=tuple("abcdefghijkl"))

    (problem,) = ranks_see_same_samples(passes(one, one))

    assert "torch.distributed.get_rank()" in problem.hint


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ((*range(0, 22, 2), 0), (*range(1, 22, 2), 1)),  # sharded
        ((0, 1, 2, 3, 8, 9, 10, 11), (4, 5, 6, 7, 12, 13, 0, 1)),  # padded from the start
        ((0,), (0,)),  # fewer samples than ranks
    ],
)
def test_shards_with_a_little_padding_are_right(first, second):
    assert list(ranks_see_same_samples(passes(indices(*first), indices(*second)))) == []


def test_values_that_repeat_within_a_rank_tell_nothing():
    one = RankData(3, 12, samples=("a", "b", "a", "b", "c", "a", "b", "c", "a", "b", "c", "a"))

    assert list(ranks_see_same_samples(passes(one, one))) == []


@pytest.mark.parametrize("more", [{"is_made_up": True}, {"is_sharded_later": True}])
def test_a_loader_that_is_not_yet_dealt_out_is_undecided(more):
    one = indices(*range(22), **more)

    with pytest.raises(Undecided):
        list(ranks_see_same_samples(passes(one, one)))


def test_a_loader_that_accelerate_was_not_given_yet_is_undecided():
    plain, prepared = indices(*range(22)), indices(*range(22), is_prepared=True)

    def by(one):
        facts = RankFacts(0, data=one, mentions=("accelerate",))
        return list(ranks_see_same_samples(ranks(facts, facts)))

    with pytest.raises(Undecided, match="accelerate"):
        by(plain)
    assert len(by(prepared)) == 1


def holding(*digests, **more):
    return ranks(*(RankFacts(0, parameters=each, **more) for each in digests))


def test_parameters_that_differ_are_named():
    facts = holding({"a": "1", "b": "2"}, {"a": "1", "b": "3"})

    (problem,) = ranks_hold_different_parameters(facts, None)

    assert problem.message == "the ranks hold different values in 1 of 2 parameters: 'b'."
    assert problem.severity is Severity.INFO
    assert problem.hint.startswith("harmless where the script wraps the model afterwards")
    assert list(ranks_hold_different_parameters(holding({"a": "1"}, {"a": "1"}), None)) == []


@pytest.mark.parametrize(
    "more", [{"is_wrapped": True}, {"training": RankTraining(averaged_by="the code")}]
)
def test_parameters_that_nothing_will_make_equal_any_more_are_an_error(more):
    (problem,) = ranks_hold_different_parameters(holding({"a": "1"}, {"a": "2"}, **more), None)

    assert problem.severity is None  # the check's own
    assert "harmless" not in problem.hint


def test_models_of_another_make_are_told_from_other_values():
    (problem,) = ranks_hold_different_parameters(holding({"a": "1"}, {"a": "1", "b": "2"}), None)

    assert problem.message.startswith("the ranks build different models: rank 0: 1 parameters")


def test_a_trainer_makes_them_equal_itself():
    load = LoadFacts((PartFact("trainer"),))

    with pytest.raises(Undecided):
        list(ranks_hold_different_parameters(holding({"a": "1"}, {"a": "2"}), load))


def test_lightning_makes_them_equal_and_sharding_makes_them_differ():
    by_lightning = holding({"a": "1"}, {"a": "2"}, data=RankData(1, 1, is_sharded_later=True))

    for facts in (by_lightning, ranks(RankFacts(0, is_sharded=True), RankFacts(0))):
        with pytest.raises(Undecided):
            list(ranks_hold_different_parameters(facts, None))


def died(name, number, **more):
    return RankFacts(
        0, death=Death(Stage.DISTRIBUTED, "signal", number, name, "evaluate()"), **more
    )


def test_the_rank_that_died_is_named_and_those_that_were_ended_for_it_are_not():
    facts = ranks(died("SIGTERM", 15, was_ended=True), died("SIGKILL", 9))

    (problem,) = rank_died(facts)

    assert problem.message == "rank 1 of 2 was ended by SIGKILL."
    assert problem.where == "evaluate()"
    assert problem.hint.startswith("rank 0 had to be ended for it.")


def failed(doing="building dataset", text="shard-1.tar"):
    error = ExceptionFact("FileNotFoundError", text, ("OSError",), (LINE,), (LINE,))
    return RankFacts(0, failures=(RankFailure(doing, error),))


def test_ranks_that_raise_alike_are_told_together():
    (one,) = rank_raises(ranks(RankFacts(0), failed(), RankFacts(0)))
    (all_of_them,) = rank_raises(ranks(failed(), failed()))

    assert one.message == "rank 1 raised FileNotFoundError: shard-1.tar"
    assert one.where == "building dataset"
    assert all_of_them.message.startswith("all 2 ranks raised")


def test_what_was_raised_because_another_died_is_not_told():
    assert list(rank_raises(ranks(failed("evaluate()"), died("SIGKILL", 9)))) == []


def test_a_silent_rank_is_told_from_the_others_words():
    stack = f'  File "{LINE.file}", line 44 in loop'
    absence = RankAbsence(1, "silent", "", stack, 15.04, "train.py:50")
    killed = died("SIGKILL", 9, was_ended=True)
    facts = ranks(
        RankFacts(0, absences=(absence,)),
        killed,
        RankFacts(0, absences=(absence,)),
    )

    (problem,) = rank_silent(facts)

    assert problem.message == (
        "rank 1 did not come at train.py:50 within 15 s, where ranks 0 and 2 waited."
    )
    assert problem.location.function == "loop"
    assert list(rank_died(facts)) == []


def test_ranks_that_are_all_silent_are_told_by_their_end():
    slow = RankFacts(0, death=Death(Stage.DISTRIBUTED, "timeout", None, "no end within 9 s", "x"))

    problems = list(rank_silent(ranks(slow, slow)))

    assert [p.message for p in problems] == [
        "rank 0 came to no end within 9 s.",
        "rank 1 came to no end within 9 s.",
    ]


def called(*calls):
    return ranks(*(RankFacts(0, calls=calls) for _ in calls))


def test_uneven_shapes_are_named_by_rank():
    facts = called(
        RankCall(0, "all_gather", "train.py:44", LINE, ("[4, 2] float32",)),
        RankCall(1, "all_gather", "train.py:44", LINE, ("[3, 2] float32",)),
    )

    (problem,) = collective_would_hang(facts)

    assert problem.message == (
        "all_gather gets arrays of different shapes: rank 0: [4, 2] float32, "
        "rank 1: [3, 2] float32."
    )
    assert problem.where == "ranks 0 and 1: train.py:44"
    assert problem.location == LINE


def test_a_collective_that_one_rank_does_not_reach_is_named():
    facts = called(
        RankCall(0, "barrier", "train.py:44", LINE), RankCall(1, "", "the end of evaluate()")
    )

    (problem,) = collective_would_hang(facts)

    assert problem.message == (
        "the ranks do not meet: rank 0: in barrier, rank 1: at the end of evaluate()."
    )


def test_ranks_that_part_because_one_has_failed_are_not_told_twice():
    facts = called(RankCall(0, "barrier", "train.py:44"), RankCall(1, "", "the end of evaluate()"))
    first, second = facts.ranks

    facts = DistributedFacts((first, replace(second, failures=failed().failures)))

    assert list(collective_would_hang(facts)) == []
