from tdebug.pipeline_checks.checks.backward.unregistered_parameters import unregistered_parameters
from tdebug.pipeline_checks.facts import GraphFacts, ModelFacts
from tdebug.pipeline_checks.facts.model import UnregisteredModules
from tdebug.pipeline_checks.facts.training import LeafParameter


def leaf(**more):
    given = {"module_type": "Conv1d", "parameter": "weight", "shape": (8, 8, 3), **more}
    return LeafParameter(**given)


def test_layers_in_a_list_are_found_with_the_container_to_use():
    model = ModelFacts(
        "Cnn", unregistered=(UnregisteredModules("", "hidden", "list", 2, 1, ("Conv1d",), 2),)
    )
    leaves = tuple(leaf(attribute=f"hidden[{n}]", parameter=p) for n, p in enumerate("wb"))
    (problem,) = unregistered_parameters(GraphFacts(unregistered=leaves), model)
    assert "hidden is a plain list of 2 modules" in problem.message
    assert "one and the same module" in problem.message
    assert "nn.ModuleList" in problem.hint


def test_layers_in_a_dict_get_a_module_dict():
    model = ModelFacts(
        "Net", unregistered=(UnregisteredModules("enc", "by_name", "dict", 2, 2, ("Linear",), 4),)
    )
    graph = GraphFacts(unregistered=(leaf(owner="enc", attribute="by_name[a]"),))
    (problem,) = unregistered_parameters(graph, model)
    assert "enc.by_name is a plain dict" in problem.message
    assert "nn.ModuleDict" in problem.hint


def test_a_hidden_list_that_takes_no_part_in_the_loss_is_fine():
    model = ModelFacts(
        "Net", unregistered=(UnregisteredModules("", "teacher", "list", 1, 1, ("Linear",), 2),)
    )
    assert not list(unregistered_parameters(GraphFacts(), model))


def test_layers_made_in_forward_are_found():
    graph = GraphFacts(unregistered=(leaf(is_new_each_time=True, module_type="Linear"),))
    (problem,) = unregistered_parameters(graph, ModelFacts("Net"))
    assert "made anew in every forward" in problem.message
    assert "__init__" in problem.hint


def test_a_tensor_that_should_be_a_parameter_is_found():
    graph = GraphFacts(unregistered=(leaf(module_type="", attribute="scale"),))
    (problem,) = unregistered_parameters(graph, ModelFacts("Net"))
    assert "nn.Parameter" in problem.hint


def test_an_input_whose_gradient_is_asked_for_is_fine():
    graph = GraphFacts(unregistered=(leaf(module_type="", is_new_each_time=True),))
    assert not list(unregistered_parameters(graph, ModelFacts("Net")))


def test_a_loss_network_outside_the_model_is_fine():
    assert not list(unregistered_parameters(GraphFacts(unregistered=(leaf(),)), ModelFacts("Net")))
