"""Local main processes go first; whatever happens to them, nobody hangs."""

import os
import signal
import time
from datetime import timedelta
from functools import partial

import pytest
import torch
import torch.distributed as dist

from tdebug.gather import LocalMainFailedError, RankError, torch_distributed_zero_first

TWO_NODES = {"LOCAL_RANK": ["0", "1", "0"], "NODE": ["0", "0", "1"]}
MAINS, WAITER = (0, 2), 1


def local_rank():
    return int(os.environ["LOCAL_RANK"])


def is_group_usable():
    ones = torch.ones(1)
    dist.all_reduce(ones)
    return ones.item() == dist.get_world_size()


def report_error(body):
    """Give type and text of what a body raises, and whether the group still works after it."""
    error = None
    try:
        body()
    except Exception as caught:  # noqa: BLE001  # whatever it is, the test looks at it
        error = [type(caught).__name__, str(caught)]
    return {"error": error, "usable": is_group_usable()}


def fail_on(ranks, error):
    if dist.get_rank() in ranks:
        raise error


def body_time(seconds):
    start = time.monotonic()
    time.sleep(seconds)
    return [start, time.monotonic()]


def meet_the_other_main():
    """Wait until the local main of the other node is in its body too."""
    if dist.get_rank() in MAINS:
        store = dist.distributed_c10d._get_default_store()
        store.set(f"in the body/{dist.get_rank()}", "")
        store.wait([f"in the body/{main}" for main in MAINS], timedelta(seconds=30))


def go_in_order():
    with torch_distributed_zero_first(local_rank()):
        meet_the_other_main()
        plain = body_time(0.1)

    @torch_distributed_zero_first()  # from LOCAL_RANK
    def decorated():
        return body_time(0.1)

    return {"plain": plain, "decorated": decorated(), "again": decorated()}


def go_nested():
    first = torch_distributed_zero_first(local_rank())
    with first:
        start = time.monotonic()
        with first:  # the very same again
            same = body_time(0.1)
        with torch_distributed_zero_first(dist.get_rank()):  # one for all nodes
            by_rank = body_time(0.1)
        outer = [start, time.monotonic()]
    return {"outer": outer, "same": same, "by_rank": by_rank, "usable": is_group_usable()}


def raise_in_many_ways():
    def plain(ranks):
        with torch_distributed_zero_first(local_rank()):
            fail_on(ranks, KeyError("boom"))

    def nested():
        with torch_distributed_zero_first(local_rank()), torch_distributed_zero_first(local_rank()):
            fail_on([0], KeyError("boom"))

    def nested_and_caught():
        with torch_distributed_zero_first(local_rank()):
            try:
                with torch_distributed_zero_first(local_rank()):
                    fail_on([0], KeyError("boom"))
            except (KeyError, LocalMainFailedError) as caught:
                seen.append(type(caught).__name__)

    def nobody_is_main():
        with torch_distributed_zero_first(1 + local_rank()):
            pass

    def alone():
        with torch_distributed_zero_first(-1):
            fail_on([1], KeyError("boom"))

    seen = []
    return {
        "one main": report_error(partial(plain, [0])),
        "the other main": report_error(partial(plain, [2])),
        "both mains": report_error(partial(plain, [0, 2])),
        "the waiter": report_error(partial(plain, [1])),
        "nested": report_error(nested),
        "nested and caught": report_error(nested_and_caught) | {"seen": seen},
        "nobody is main": report_error(nobody_is_main),
        "alone": report_error(alone),
        "nothing": report_error(partial(plain, [])),
    }


def go_everywhere():
    return {"in order": go_in_order(), "nested": go_nested(), "raised": raise_in_many_ways()}


def die_in_the_body():
    with torch_distributed_zero_first(local_rank()):
        pass
    start = time.monotonic()
    try:
        with torch_distributed_zero_first(local_rank()):
            if dist.get_rank() == 0:
                os.kill(os.getpid(), signal.SIGKILL)
    except RankError as error:
        return [type(error).__name__, str(error), time.monotonic() - start]
    return None


@pytest.fixture(scope="module")
def peaceful_ranks(run_ranks_once):
    ranks = run_ranks_once(go_everywhere, environment=TWO_NODES)
    assert [rank.code for rank in ranks] == [0, 0, 0], ranks[0].stderr
    return ranks


def test_local_mains_of_all_nodes_go_first_and_together(peaceful_ranks):
    for kind in ("plain", "decorated", "again"):
        times = [rank.value["in order"][kind] for rank in peaceful_ranks]
        assert times[WAITER][0] >= max(times[main][1] for main in MAINS)


def test_nested_bodies_keep_the_order_of_each(peaceful_ranks):
    values = [rank.value["nested"] for rank in peaceful_ranks]

    outer, same, by_rank = (
        [value[kind] for value in values] for kind in ("outer", "same", "by_rank")
    )
    assert outer[WAITER][0] >= max(outer[main][1] for main in MAINS)
    assert same[WAITER][0] >= max(same[main][1] for main in MAINS)
    assert min(by_rank[1][0], by_rank[2][0]) >= by_rank[0][1]
    assert all(value["usable"] for value in values)


def test_a_body_that_raises_reaches_every_rank_and_leaves_the_group_usable(peaceful_ranks):
    values = [rank.value["raised"] for rank in peaceful_ranks]

    errors = {case: [(value[case]["error"] or [None])[0] for value in values] for case in values[0]}
    assert errors == {
        "one main": ["KeyError", "LocalMainFailedError", "LocalMainFailedError"],
        "the other main": ["LocalMainFailedError", "LocalMainFailedError", "KeyError"],
        "both mains": ["KeyError", "LocalMainFailedError", "KeyError"],
        "the waiter": [None, "KeyError", None],
        "nested": ["KeyError", "LocalMainFailedError", "LocalMainFailedError"],
        "nested and caught": [None, None, None],
        "nobody is main": ["RanksDisagreeError"] * 3,
        "alone": [None, "KeyError", None],
        "nothing": [None, None, None],
    }
    assert all(case["usable"] for value in values for case in value.values())
    assert [value["nested and caught"]["seen"] for value in values] == [
        ["KeyError"],
        ["LocalMainFailedError"],
        ["LocalMainFailedError"],
    ]
    assert values[1]["both mains"]["error"][1] == (
        "a local main process failed in what the others wait for, so none goes on "
        "(rank 0: KeyError: 'boom'; rank 2: KeyError: 'boom')."
    )
    assert "nobody has local rank 0" in values[1]["nobody is main"]["error"][1]


@pytest.mark.parametrize("store", ["file", "tcp"])
def test_a_local_main_that_dies_is_named(run_ranks, store):
    ranks = run_ranks(die_in_the_body, environment=TWO_NODES, store=store)

    assert [rank.code for rank in ranks] == [-signal.SIGKILL, 0, 0]
    for rank in ranks[1:]:
        name, text, seconds = rank.value
        assert name == "RanksMissingError"
        assert "rank 0 is dead" in text
        assert seconds < 10


def test_without_a_process_group_the_body_just_runs(monkeypatch):
    monkeypatch.delenv("LOCAL_RANK", raising=False)

    with torch_distributed_zero_first(1):
        ran = True

    assert ran
    assert torch_distributed_zero_first()(lambda: "value")() == "value"
