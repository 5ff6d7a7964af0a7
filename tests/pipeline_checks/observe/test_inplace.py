import pytest
import torch
from torch import nn

from tdebug.pipeline_checks.observe.inplace import InplaceWatch, is_inplace
from tdebug.pipeline_checks.observe.modules import ModuleWatch


def changes_in(model, code, x):
    modules = ModuleWatch(model, code)
    watch = InplaceWatch(modules)
    with modules, watch:
        model(x)
    return watch.found()


class AddsInPlace(nn.Module):
    def __init__(self):
        super().__init__()
        self.squash, self.out = nn.Sigmoid(), nn.Linear(3, 1)

    def forward(self, x):
        y = self.squash(x)
        y += 1
        return self.out(y)


def test_a_change_after_the_keeping_is_told_with_both_lines(code):
    x = torch.randn(2, 3, requires_grad=True)

    [change] = changes_in(AddsInPlace(), code, x)

    assert (change.saved_by, change.saved_module) == ("sigmoid", "squash")
    assert change.changed_by in {"add_", "__iadd__"}  # versions of torch differ
    assert change.changed_module == ""
    assert change.changed_at.code == "y += 1"
    assert change.shape == (2, 3)


def test_a_change_before_anything_is_kept_is_fine(code):
    class Early(nn.Module):
        def forward(self, x):
            y = x * 1
            y += 1
            return y.exp()

    assert changes_in(Early(), code, torch.ones(2, requires_grad=True)) == ()


@pytest.mark.parametrize(("max_norm", "changes"), [(0.5, ["embedding"]), (None, [])])
def test_an_embedding_with_max_norm_changes_its_weight(code, max_norm, changes):
    class Tied(nn.Module):
        def __init__(self):
            super().__init__()
            self.emb, self.out = nn.Embedding(9, 4, max_norm=max_norm), nn.Linear(4, 4)

        def forward(self, x):
            table = self.out(self.emb.weight)
            return table[x] + self.emb(x)

    found = changes_in(Tied(), code, torch.arange(3))

    assert [change.changed_by for change in found] == changes
    assert [change.changed_module for change in found] == ["emb"] * len(changes)


def test_a_change_through_a_view_is_told(code):
    class ThroughView(nn.Module):
        def forward(self, x):
            y = x.exp()
            y[0] = 0
            return y

    [change] = changes_in(ThroughView(), code, torch.ones(2, requires_grad=True))

    assert (change.saved_by, change.changed_by) == ("exp", "__setitem__")


def test_functions_with_an_inplace_flag_are_known(code):
    class Relu(nn.Module):
        def forward(self, x):
            y = x.exp()
            return nn.functional.relu(y, inplace=True)

    found = changes_in(Relu(), code, torch.ones(2, requires_grad=True))

    assert [(change.saved_by, change.changed_by) for change in found][:1] == [("exp", "relu")]


@pytest.mark.parametrize(
    "name", ["add_", "__iadd__", "__setitem__", "masked_fill_", "copy_", "zero_", "clamp_"]
)
def test_names_that_change_their_tensor(name):
    assert is_inplace(name, {})


@pytest.mark.parametrize(
    "name", ["add", "__int__", "__iter__", "__index__", "__invert__", "requires_grad_",
             "retain_grad", "__get__", "__set__", "__init__", "", "__setstate__"]
)  # fmt: skip
def test_names_that_do_not(name):
    assert not is_inplace(name, {})
