from tdebug.pipeline_checks.checks.load.model_without_parameters import model_without_parameters
from tdebug.pipeline_checks.facts import ModelFacts, OptimizerFacts
from tdebug.pipeline_checks.facts.model import ParameterFact, UnregisteredModules
from tdebug.pipeline_checks.facts.optimizer import GroupFact, OptimizerFact


def test_a_model_that_registers_nothing_is_found_before_the_optimizer_is_built():
    [problem] = model_without_parameters(ModelFacts("Vae", num_modules=1), None)

    assert "Vae has 0 parameters and 0 submodules" in problem.message
    assert "forward()" in problem.hint
    assert "__init__" in problem.hint


def test_layers_in_a_plain_list_are_named():
    held = UnregisteredModules("", "layers", "list", 3, 3, ("Linear",), 6)

    [problem] = model_without_parameters(
        ModelFacts("Net", unregistered=(held,), num_modules=1), None
    )

    assert problem.where == "model.layers (a plain list)"
    assert "self.layers is a plain list of 3 modules" in problem.hint
    assert "nn.ModuleList" in problem.hint


def test_a_model_with_parameters_is_no_problem():
    weight = ParameterFact("weight", (2, 2), "float32", "cpu", requires_grad=True)

    assert not list(model_without_parameters(ModelFacts("Net", parameters=(weight,)), None))


def test_an_optimizer_over_tensors_outside_the_model_is_left_alone():
    one = OptimizerFact("Adam", (GroupFact(1e-3, num_tensors=2),))

    assert not list(
        model_without_parameters(ModelFacts("Energy"), OptimizerFacts(optimizers=(one,)))
    )


def test_an_optimizer_that_tdebug_made_excuses_nothing():
    assert list(model_without_parameters(ModelFacts("Net"), OptimizerFacts(is_made_up=True)))
