from tdebug.pipeline_checks.checks import find_check
from tdebug.pipeline_checks.checks.step.step_fails import step_fails
from tdebug.pipeline_checks.facts import ExceptionFact, TrainingFacts
from tdebug.pipeline_checks.facts.training import FailureFact
from tdebug.pipeline_checks.report import Location, Stage


def test_the_exception_is_shown():
    error = ExceptionFact(
        "RuntimeError", "Adam does not support sparse gradients", ("RuntimeError",)
    )
    training = TrainingFacts(failures=(FailureFact(Stage.STEP, 0, error, (0, 1)),), batches=(0,))
    (problem,) = step_fails(training)
    assert "sparse gradients" in problem.message
    assert problem.where == "batch 0 (samples 0 and 1)"


def test_it_is_a_fallback_that_gives_way_to_others():
    assert find_check("TD506").is_fallback


def test_nothing_raised_is_fine():
    assert not list(step_fails(TrainingFacts()))


def test_what_a_grad_scaler_refuses_is_explained_by_its_method():
    frames = (
        Location("train.py", 9, "train_step"),
        Location("torch/amp/grad_scaler.py", 9, "update"),
    )
    error = ExceptionFact(
        "AssertionError", "No inf checks", ("AssertionError",), frames, frames[:1]
    )
    training = TrainingFacts(failures=(FailureFact(Stage.STEP, 0, error),), batches=(0,))
    (problem,) = step_fails(training)
    assert "scaler.step(optimizer) before scaler.update()" in problem.hint


def test_a_line_of_the_loop_that_changes_a_parameter_in_place_is_no_step():
    line = (Location("train.py", 9, "train_step", "e.mul_(0.99)"),)
    text = "a leaf Variable that requires grad is being used in an in-place operation."
    error = ExceptionFact("RuntimeError", text, ("RuntimeError",), line, line)
    training = TrainingFacts(failures=(FailureFact(Stage.STEP, 0, error),), batches=(0,))
    (problem,) = step_fails(training)
    assert problem.message.startswith("the loop, after its backward, raised RuntimeError")
    assert "torch.no_grad()" in problem.hint


def test_a_step_that_is_taken_once_is_no_share_of_the_batches():
    error = ExceptionFact("RuntimeError", "it failed", ("RuntimeError",))
    failure = FailureFact(Stage.STEP, 2, error)
    (problem,) = step_fails(TrainingFacts("pair", failures=(failure,), batches=(0, 1, 2)))
    assert problem.where == "batch 2"
