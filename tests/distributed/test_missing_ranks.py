"""Who does not come is named, with the reason, and nothing hangs or is left running."""

import os
import signal
import sys
import threading
import time

import pytest
import torch
import torch.distributed as dist

from tdebug.gather import (
    DistributedTensorGatherer,
    RankError,
    RanksMissingError,
    RollCall,
    gather_uneven,
    get_roll_call,
    named_barrier,
)


def report_error(body, *arguments, **options):
    """Give what a body raises, in words, and how long that took."""
    start = time.monotonic()
    try:
        body(*arguments, **options)
    except RankError as error:
        reasons = [absence.reason.value for absence in getattr(error, "absences", ())]
        return {
            "type": type(error).__name__,
            "text": str(error),
            "reasons": reasons,
            "seconds": time.monotonic() - start,
        }
    return None


def die_mid_way(*, victim, step):
    """Evaluate; the victim is killed after some steps. Gives what the others are told."""
    gatherer = DistributedTensorGatherer(dist.get_world_size(), 300)

    def evaluate():
        for number in range(100):
            if number == step and dist.get_rank() == victim:
                os.kill(os.getpid(), signal.SIGKILL)
            gatherer.add_arrays(gather_uneven({"logits": torch.ones(1, 1 + number % 3)}))

    return report_error(evaluate)


def die_in_a_collective(*, victim):
    """Gather much, so that the victim dies while bytes are on their way."""
    if dist.get_rank() == victim:
        threading.Timer(1.5, os.kill, (os.getpid(), signal.SIGKILL)).start()

    def gather():
        for _ in range(1000):
            gather_uneven(torch.ones(3_000_000))

    return report_error(gather)


def raise_unhandled():
    named_barrier()
    if dist.get_rank() == 0:
        raise KeyError("boom")
    return report_error(named_barrier, "after")


def stay_away_in_many_ways():
    rank = dist.get_rank()
    get_roll_call()  # from here on, every rank is known

    def meet_without(reason):
        with RollCall() as call:
            call.barrier("start")
            if rank == 2:
                raise reason
            call.barrier("end")

    def meet_late(seconds):
        if rank == 2:
            time.sleep(seconds)
        named_barrier("late", timeout_s=1.0)

    raised = report_error_of(meet_without, KeyError("boom"))
    left = report_error_of(meet_without, SystemExit())
    late = report_error(meet_late, 2.0)
    elsewhere = report_error(named_barrier, "here" if rank else "there")
    time_after_all = report_error(named_barrier, "after all")
    return {
        "raised": raised,
        "left": left,
        "late": late,
        "elsewhere": elsewhere,
        "after all": time_after_all,
    }


def report_error_of(body, reason):
    """Report as above, and pass over the reason itself on the rank that raises it."""
    try:
        return report_error(body, reason)
    except (KeyError, SystemExit):
        return None


def finish_early():
    named_barrier()
    if dist.get_rank() == 1:
        sys.exit(0)
    return report_error(named_barrier, "after")


def hang_in_native_code(*, victim):
    """Stop the whole process of one rank, as native code that never returns would."""
    named_barrier()
    if dist.get_rank() == victim:
        os.kill(os.getpid(), signal.SIGSTOP)
    return report_error(named_barrier, "after", timeout_s=3.0)


def use_groups_after_each_other():
    """Make and destroy groups: each has a roll call of its own, which ends with it."""
    names = []
    for number in range(2):
        group = dist.new_group([0, 2])
        if dist.get_rank() != 1:
            named_barrier(f"group {number}", group=group)
            names.append(get_roll_call(group).ranks)
        named_barrier("all")
        if dist.get_rank() != 1:
            dist.destroy_process_group(group)
        del group
    time.sleep(1.0)
    return [names, sum("presence" in thread.name for thread in threading.enumerate())]


def wait_until_over(ranks):
    end_s = time.monotonic() + 10
    while ranks.is_running():
        assert time.monotonic() < end_s
        time.sleep(0.02)


@pytest.mark.parametrize("store", ["file", "tcp"])
@pytest.mark.parametrize("victim", [0, 1])
def test_a_rank_killed_mid_way_is_named_within_10_seconds(start_ranks, victim, store):
    started = start_ranks(die_mid_way, victim=victim, step=20, store=store)
    ranks = started.wait()

    wait_until_over(started)  # nothing is left running
    for number, rank in enumerate(ranks):
        if number == victim:
            assert rank.code == -signal.SIGKILL
            continue
        assert rank.code == 0, rank.stderr
        assert rank.value["type"] == "RanksMissingError"
        assert rank.value["reasons"] == ["dead"]
        assert f"rank {victim} is dead: process" in rank.value["text"]
        assert "'gather_uneven'" in rank.value["text"]
        assert rank.value["seconds"] < 10


def test_a_rank_killed_in_a_collective_is_named_within_10_seconds(run_ranks):
    ranks = run_ranks(die_in_a_collective, victim=1)

    assert [rank.code for rank in ranks] == [0, -signal.SIGKILL, 0], ranks[0].stderr
    for rank in (ranks[0], ranks[2]):
        assert "dead" in rank.value["reasons"]  # the other one that noticed may have left by then
        assert "rank 1 is dead" in rank.value["text"]
        assert rank.value["seconds"] < 1.5 + 10


@pytest.mark.parametrize("store", ["file", "tcp"])
def test_an_unhandled_error_is_told_to_the_others_in_its_own_words(run_ranks, store):
    ranks = run_ranks(raise_unhandled, store=store)

    assert [rank.code for rank in ranks] == [1, 0, 0]
    for rank in ranks[1:]:
        assert rank.value["reasons"] == ["failed"]
        assert "rank 0 failed: KeyError: 'boom'" in rank.value["text"]
        assert rank.value["seconds"] < 5


def test_a_rank_that_finishes_is_named_at_once(run_ranks):
    ranks = run_ranks(finish_early)

    assert [rank.code for rank in ranks] == [0, 0, 0]
    assert "rank 1 has left: it finished without coming here" in ranks[0].value["text"]
    assert ranks[2].value["seconds"] < 5


def test_ranks_that_stay_away_are_named_with_the_reason(run_ranks):
    ranks = run_ranks(stay_away_in_many_ways)

    assert [rank.code for rank in ranks] == [0, 0, 0], ranks[0].stderr
    for rank in ranks[:2]:
        assert "rank 2 failed: KeyError: 'boom'" in rank.value["raised"]["text"]
        assert "rank 2 failed: SystemExit" in rank.value["left"]["text"]
        assert rank.value["raised"]["seconds"] < 5
    for rank in ranks:
        assert rank.value["late"]["reasons"] == ["silent"]
        assert rank.value["elsewhere"]["type"] == "RanksDisagreeError"
        assert "rank 0: 'there'\n  ranks 1 and 2: 'here'" in rank.value["elsewhere"]["text"]
        assert rank.value["after all"] is None
    # Named at the time limit, with its stack.
    text = ranks[0].value["late"]["text"]
    assert text.startswith("rank 2 did not arrive at 'late' in 1.")
    assert "s:\n  rank 2 is silent: process" in text
    assert "runs, and is here:" in text
    assert "in meet_late\n        time.sleep(seconds)" in text
    assert 1.0 <= ranks[0].value["late"]["seconds"] < 1.9  # the late one comes after 2 s


def test_a_rank_that_cannot_answer_is_said_to_be_there(start_ranks):
    ranks = start_ranks(hang_in_native_code, victim=2)

    ranks.wait_for_result(0)
    ranks.signal_all(signal.SIGCONT)
    results = ranks.wait()

    assert [rank.code for rank in results] == [0, 0, 0], results[0].stderr
    for rank in results:
        assert rank.value["reasons"] == ["silent"]
        assert "is there and does not answer (stopped, or in native code)" in rank.value["text"]


def test_every_group_has_a_roll_call_that_ends_with_it(run_ranks):
    ranks = run_ranks(use_groups_after_each_other)

    assert [rank.code for rank in ranks] == [0, 0, 0], ranks[0].stderr
    assert [rank.value for rank in ranks] == [
        [[[0, 2], [0, 2]], 1],
        [[], 1],
        [[[0, 2], [0, 2]], 1],
    ]


def test_the_error_is_a_timeout_and_a_runtime_error():
    assert issubclass(RanksMissingError, TimeoutError)
    assert issubclass(RanksMissingError, RuntimeError)
