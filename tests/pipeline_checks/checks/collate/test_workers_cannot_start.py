from tdebug.pipeline_checks.checks.collate.workers_cannot_start import workers_cannot_start
from tdebug.pipeline_checks.facts import ExceptionFact, LoaderWorkerFacts
from tdebug.pipeline_checks.facts.loader_workers import Unpicklable

ERROR = ExceptionFact("PicklingError", "Can't pickle <lambda>")


def test_a_lambda_is_named_with_the_start_method():
    part = Unpicklable("collate_fn", "", "a lambda", ERROR)

    [problem] = workers_cannot_start(LoaderWorkerFacts(1, "spawn", (part,)), None)

    assert problem.message.startswith("collate_fn is a lambda and cannot be pickled: the spawn")
    assert "top level" in problem.hint


def test_an_open_file_in_the_dataset_is_named_by_its_attribute():
    part = Unpicklable("dataset", ".handle", "a TextIOWrapper", ERROR)

    [problem] = workers_cannot_start(LoaderWorkerFacts(2, "forkserver", (part,)), None)

    assert problem.message.startswith("dataset.handle is a TextIOWrapper")
    assert "lazily" in problem.hint


def test_workers_that_die_are_reported():
    error = ExceptionFact("RuntimeError", "DataLoader worker exited unexpectedly")

    [problem] = workers_cannot_start(LoaderWorkerFacts(2, "fork", error=error), None)

    assert "iterating with 2 loader workers raised RuntimeError" in problem.message


def test_nothing_need_be_pickled_for_fork():
    part = Unpicklable("collate_fn", "", "a lambda", ERROR)

    assert not list(workers_cannot_start(LoaderWorkerFacts(1, "fork", (part,)), None))
    assert not list(workers_cannot_start(LoaderWorkerFacts(1, "spawn"), None))
