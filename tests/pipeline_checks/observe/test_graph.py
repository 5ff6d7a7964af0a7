import torch
from torch import nn

from tdebug.pipeline_checks.observe.graph import LeafWatch, carried_graphs, leaf_tensors
from tdebug.pipeline_checks.observe.modules import ModuleWatch

X = torch.ones(2, 4)


def leaves_of(model, code, num_batches=2, batch=X, known=()):
    watch, modules = LeafWatch(model, known), ModuleWatch(model, code)
    with modules:
        for number in range(num_batches):
            modules.begin_batch(number)
            watch.look(model(batch).sum(), batch, modules)
    return watch.found


def test_the_leaves_of_a_loss_are_its_parameters():
    model = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 1))

    found = leaf_tensors(model(X).sum())

    assert {id(t) for t in found} == {id(p) for p in model.parameters()}


def test_a_registered_model_has_no_strange_leaves(code):
    assert leaves_of(nn.Linear(4, 1), code) == ()


def test_a_layer_in_a_list_is_told_with_its_attribute(code):
    class Hidden(nn.Module):
        def __init__(self):
            super().__init__()
            self.out = nn.Linear(4, 1)
            self.hidden = [nn.Linear(4, 4)]

        def forward(self, x):
            return self.out(self.hidden[0](x))

    found = leaves_of(Hidden(), code)

    assert {leaf.parameter for leaf in found} == {"weight", "bias"}
    assert {(leaf.module_type, leaf.attribute, leaf.is_new_each_time) for leaf in found} == {
        ("Linear", "hidden[0]", False)
    }
    assert found[0].location.function == "forward"


def test_a_layer_made_in_forward_is_new_each_time(code):
    class Fresh(nn.Module):
        def forward(self, x):
            return nn.Linear(4, 1)(x)

    found = leaves_of(Fresh(), code)

    assert {(leaf.module_type, leaf.is_new_each_time) for leaf in found} == {("Linear", True)}


def test_a_tensor_that_the_model_keeps_outside_its_parameters_is_told(code):
    class Scaled(nn.Module):
        def __init__(self):
            super().__init__()
            self.scales = [torch.ones(4, requires_grad=True)]

        def forward(self, x):
            return x * self.scales[0]

    [leaf] = leaves_of(nn.Sequential(Scaled()), code)

    assert (leaf.module_type, leaf.owner, leaf.attribute, leaf.shape) == (
        "", "0", "scales[0]", (4,),
    )  # fmt: skip


def test_a_tensor_that_is_kept_nowhere_is_the_users_own(code):
    class Attacked(nn.Module):
        def forward(self, x):
            return x + torch.zeros(4, requires_grad=True)

    assert leaves_of(Attacked(), code) == ()


def test_what_an_optimizer_holds_and_inputs_that_ask_for_gradients_are_known(code):
    scale, batch = nn.Parameter(torch.ones(4)), torch.ones(2, 4, requires_grad=True)

    class Scaled(nn.Module):
        def forward(self, x):
            return x * scale

    assert leaves_of(Scaled(), code, batch=batch, known=[scale]) == ()


def test_a_state_that_carries_its_graph_is_told():
    class Recurrent(nn.Module):
        def __init__(self):
            super().__init__()
            self.cell = nn.Linear(4, 4)
            self.register_buffer("memory", torch.zeros(2, 4))
            self.kept = {}

        def forward(self, x):
            self.memory = self.cell(x + self.memory)
            self.kept["last"] = [self.memory * 2]
            return self.memory

    model = nn.Sequential(Recurrent())
    assert carried_graphs(model, {}) == ()

    model(X)

    found = {carried.path: carried.made_by for carried in carried_graphs(model, {})}
    assert set(found) == {"0.memory", '0.kept["last"][0]'}
    assert found['0.kept["last"][0]'].startswith("MulBackward")


def test_a_state_that_was_detached_is_fine():
    class Recurrent(nn.Module):
        def __init__(self):
            super().__init__()
            self.cell, self.memory = nn.Linear(4, 4), torch.zeros(2, 4)

        def forward(self, x):
            self.memory = self.cell(x + self.memory).detach()
            return self.memory

    model = Recurrent()
    model(X)

    assert carried_graphs(model, {}) == ()


def test_tensors_that_a_training_step_keeps_in_its_state_are_told():
    model = nn.Linear(2, 2)
    state = {"step": 3, "h": model(torch.ones(1, 2)), "mean": torch.ones(2)}

    [carried] = carried_graphs(model, state)

    assert carried.path == 'state["h"]'


def test_a_buffer_with_a_graph_is_told_by_its_name():
    model = nn.BatchNorm1d(2)
    model.running_mean = model.weight * 2

    [carried] = carried_graphs(nn.Sequential(model), {})

    assert carried.path == "0.running_mean"
