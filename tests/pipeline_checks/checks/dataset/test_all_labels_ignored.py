from tdebug.pipeline_checks.checks.dataset.all_labels_ignored import all_labels_ignored
from tdebug.pipeline_checks.facts import BatchFacts, LoaderFacts
from tdebug.pipeline_checks.facts.batches import LabelFact
from tdebug.pipeline_checks.report import Severity

USER = LoaderFacts(collate="AnswerOnly", collate_kind="user")


def labels(batch, ignored, rows=(), same=0, compared=0):
    return LabelFact(batch, '["labels"]', 40, ignored, rows, num_same=same, num_compared=compared)


def find(*facts):
    return list(all_labels_ignored(BatchFacts(labels=facts), None, USER))


def test_batches_without_any_label_are_found_and_the_collate_function_named():
    [problem] = find(labels(0, 40), labels(1, 40))

    assert "all 80 labels of all 2 batches are -100" in problem.message
    assert "0 of 80 positions are trained on" in problem.message
    assert "AnswerOnly masks the labels" in problem.hint
    assert problem.severity is None


def test_one_such_batch_among_random_masks_is_a_warning():
    [problem] = find(labels(0, 40), labels(1, 34, same=1, compared=6))

    assert problem.severity is Severity.WARNING


def test_one_such_batch_of_a_causal_model_is_an_error():
    [problem] = find(labels(0, 40), labels(1, 30, same=10, compared=10))

    assert problem.severity is None


def test_single_samples_of_a_causal_model_are_a_warning():
    [problem] = find(labels(0, 30, rows=(2,), same=10, compared=10))

    assert problem.severity is Severity.WARNING
    assert problem.where == "samples 2"


def test_rows_without_a_mask_in_masked_language_modelling_are_usual():
    assert not find(labels(0, 34, rows=(2,), same=1, compared=6))


def test_labels_that_count_are_no_problem():
    assert not find(labels(0, 10, same=30, compared=30))
    assert not find()
