from tdebug.pipeline_checks.checks.forward.model_in_eval_mode import model_in_eval_mode
from tdebug.pipeline_checks.facts import ModelFacts, TrainingFacts
from tdebug.pipeline_checks.facts.model import LayerFact, ParameterFact


def model(*layers, frozen=()):
    parameters = tuple(
        ParameterFact(name, (3,), "float32", "cpu", name not in frozen)
        for name in ("body.lin.weight", "body.bn.weight", "head.weight")
    )
    return ModelFacts("Net", parameters=parameters, layers=layers)


DROPOUT = LayerFact("body.drop", "Dropout", {"p": 0.1})
NORM = LayerFact("body.bn", "BatchNorm1d")
BODY = ("body.lin.weight", "body.bn.weight")


def test_a_dropout_that_is_off_is_found():
    (problem,) = model_in_eval_mode(
        TrainingFacts(eval_modules=("body.drop",)), model(DROPOUT, NORM)
    )
    assert "body.drop (Dropout)" in problem.message
    assert "model.train()" in problem.hint


def test_a_whole_model_in_eval_mode_is_found():
    training = TrainingFacts(eval_modules=("", "body.bn"))
    (problem,) = model_in_eval_mode(training, model(NORM))
    assert problem.where == "the whole model"


def test_batch_norms_frozen_on_purpose_are_fine():
    training = TrainingFacts(eval_modules=("body.bn",))
    assert not list(model_in_eval_mode(training, model(DROPOUT, NORM)))


def test_a_frozen_part_in_eval_mode_is_fine():
    training = TrainingFacts(eval_modules=("body.drop", "body.bn"))
    assert not list(model_in_eval_mode(training, model(DROPOUT, NORM, frozen=BODY)))


def test_a_dropout_of_zero_is_fine():
    nothing = LayerFact("body.drop", "Dropout", {"p": 0.0})
    assert not list(model_in_eval_mode(TrainingFacts(eval_modules=("body.drop",)), model(nothing)))


def test_train_mode_is_fine():
    assert not list(model_in_eval_mode(TrainingFacts(), model(DROPOUT, NORM)))
