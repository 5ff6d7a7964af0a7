from torch import nn

from tdebug.pipeline_checks.observe.module_cycle import place_of_cycle


def test_a_module_inside_itself_is_found_with_its_place():
    model = nn.Sequential(nn.Sequential(nn.ReLU()))
    model[0].parent = model

    assert place_of_cycle(model) == "0.parent"


def test_a_module_that_is_used_twice_is_no_cycle():
    shared = nn.Linear(2, 2)
    model = nn.Sequential(shared, nn.Sequential(shared), shared)
    model.optional = None

    assert place_of_cycle(model) == ""
