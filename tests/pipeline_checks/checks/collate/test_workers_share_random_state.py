import pytest

from tdebug.pipeline_checks.checks import Undecided
from tdebug.pipeline_checks.checks.collate.workers_share_random_state import (
    workers_share_random_state,
)
from tdebug.pipeline_checks.facts import LoaderWorkerFacts


def test_clones_of_a_generator_are_found():
    workers = LoaderWorkerFacts(
        4, "fork", random_fields=("[0]",), cloned_fields=("[0]",), repeats_epochs=True
    )

    [problem] = workers_share_random_state(workers, None)

    assert (
        "([0]) is identical in the 4 loader workers, and again in the next epoch" in problem.message
    )
    assert "worker_init_fn" in problem.hint


def test_workers_that_differ_are_no_problem():
    workers = LoaderWorkerFacts(4, "fork", random_fields=("[0]",))

    assert not list(workers_share_random_state(workers, None))


def test_workers_that_were_not_started_are_said_to_be_so():
    with pytest.raises(Undecided, match="too slow"):
        list(
            workers_share_random_state(
                LoaderWorkerFacts(4, "fork", not_probed_because="they are too slow"), None
            )
        )
