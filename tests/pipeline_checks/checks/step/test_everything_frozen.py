from tdebug.pipeline_checks.checks.step.everything_frozen import everything_frozen
from tdebug.pipeline_checks.report import Stage

NAMES = ("backbone.weight", "backbone.bias", "head.weight", "head.bias")


def test_a_frozen_model_is_found_at_load_and_names_the_head(model):
    (problem,) = everything_frozen(model(*NAMES, frozen=NAMES), None)
    assert "all 4 parameters of Net are frozen: 0 of 4" in problem.message
    assert "model.head.requires_grad_(True)" in problem.hint
    assert problem.stage is Stage.LOAD


def test_a_frozen_backbone_is_fine(model):
    assert not list(everything_frozen(model(*NAMES, frozen=NAMES[:2]), None))


def test_a_model_without_parameters_is_another_matter(model):
    assert not list(everything_frozen(model(), None))


def test_an_optimizer_of_other_tensors_makes_it_fine(model, optimizers):
    held = optimizers(num_foreign=4)
    assert not list(everything_frozen(model(*NAMES, frozen=NAMES), held))
