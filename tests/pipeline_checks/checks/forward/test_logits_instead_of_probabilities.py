from tdebug.pipeline_checks.checks.forward.logits_instead_of_probabilities import (
    logits_instead_of_probabilities,
)


def test_logits_given_to_bce_loss(calls):
    found = calls("binary_cross_entropy", (8, 1), (8, 1), given={"min": -2.5, "max": 1.5})
    (problem,) = logits_instead_of_probabilities(found, None)
    assert "-2.5 to 1.5" in problem.message
    assert "BCEWithLogitsLoss" in problem.hint


def test_logits_given_to_nll_loss(calls):
    found = calls("nll_loss", (8, 3), given={"min": -2.5, "max": 1.5})
    (problem,) = logits_instead_of_probabilities(found, None)
    assert "CrossEntropyLoss" in problem.hint


def test_log_probabilities_are_fine(calls):
    found = calls("nll_loss", (8, 3), given={"min": -9.0, "max": 0.0})
    assert not list(logits_instead_of_probabilities(found, None))


def test_probabilities_are_fine(calls):
    found = calls("binary_cross_entropy", (8, 1), (8, 1), given={"min": 0.0, "max": 1.0})
    assert not list(logits_instead_of_probabilities(found, None))


def test_probabilities_given_to_nll_loss_are_left_to_another_check(calls):
    found = calls("nll_loss", (8, 3), given={"min": 0.1, "max": 0.9}, rows_sum_to_one=True)
    assert not list(logits_instead_of_probabilities(found, None))


def test_outputs_of_a_linear_layer_are_no_probabilities_even_in_0_to_1(calls):
    given = {"min": 0.2, "max": 0.9}
    found = calls("binary_cross_entropy", (4, 1), (4, 1), given=given, made_by="AddmmBackward0")
    (problem,) = logits_instead_of_probabilities(found, None)
    assert "takes probabilities (0 to 1)" in problem.message
    squashed = calls(
        "binary_cross_entropy", (4, 1), (4, 1), given=given, made_by="SigmoidBackward0"
    )
    assert not list(logits_instead_of_probabilities(squashed, None))


def test_ctc_takes_log_probabilities_as_well(calls):
    found = calls("ctc_loss", (20, 4, 10), (4, 5), given={"min": -0.4, "max": 0.6})
    (problem,) = logits_instead_of_probabilities(found, None)
    assert "log-probabilities (at most 0)" in problem.message
    assert "add log_softmax" in problem.hint
