"""A roll call of one rank, in this process, leaves nothing behind."""

import threading
import time

import pytest
import torch.distributed as dist

from tdebug.gather import RanksMissingError, RollCall, get_roll_call, named_barrier


@pytest.fixture
def group(tmp_path):
    dist.init_process_group("gloo", init_method=f"file://{tmp_path}/store", rank=0, world_size=1)
    yield
    if dist.is_initialized():
        dist.destroy_process_group()


def presences():
    return [thread for thread in threading.enumerate() if "presence" in thread.name]


@pytest.mark.usefixtures("group")
def test_one_rank_meets_itself():
    with RollCall() as call:
        call.barrier()
        said = call.exchange({"shape": [2, 3]})

    assert said == {0: {"shape": [2, 3]}}
    assert presences() == []


@pytest.mark.usefixtures("group")
def test_the_shared_roll_call_is_made_once_and_ends_with_the_group():
    named_barrier()
    assert get_roll_call() is get_roll_call()
    assert len(presences()) == 1

    dist.destroy_process_group()

    end_s = time.monotonic() + 5
    while presences() and time.monotonic() < end_s:
        time.sleep(0.05)
    assert presences() == []


@pytest.mark.usefixtures("group")
def test_a_time_limit_shorter_than_a_look_holds():
    with RollCall() as call:
        meeting = call.open_meeting("nowhere", timeout_s=0.05)
        start = time.monotonic()
        with pytest.raises(RanksMissingError, match=r"rank 0 did not arrive at 'nowhere' in"):
            call.wait_for(meeting, "word", [0])

    assert time.monotonic() - start < 0.4  # two looks are half a second apart


def test_without_a_group_there_is_nobody_to_wait_for():
    named_barrier()


def test_without_a_group_there_is_no_roll_call():
    with pytest.raises(ValueError, match=r"call torch.distributed.init_process_group first"):
        RollCall()
