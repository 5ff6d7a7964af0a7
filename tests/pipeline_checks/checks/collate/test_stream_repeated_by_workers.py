from tdebug.pipeline_checks.checks.collate.stream_repeated_by_workers import (
    stream_repeated_by_workers,
)
from tdebug.pipeline_checks.facts import LoaderWorkerFacts


def workers(num, streamed, distinct, alone, *, is_repeated):
    return LoaderWorkerFacts(
        num,
        "fork",
        num_streamed=streamed,
        num_distinct=distinct,
        num_alone=alone,
        is_repeated=is_repeated,
    )


def test_a_stream_that_every_worker_repeats_is_counted():
    [problem] = stream_repeated_by_workers(workers(3, 36, 12, 12, is_repeated=True), None)

    assert "each of the 3 loader workers yields the whole stream" in problem.message
    assert "36 samples come out, 12 distinct, each 3 times" in problem.message
    assert "get_worker_info" in problem.hint


def test_a_sharded_stream_and_a_single_worker_are_no_problem():
    assert not list(stream_repeated_by_workers(workers(3, 12, 12, 12, is_repeated=False), None))
    assert not list(stream_repeated_by_workers(workers(1, 12, 12, 12, is_repeated=True), None))
    assert not list(stream_repeated_by_workers(LoaderWorkerFacts(2, "fork"), None))
