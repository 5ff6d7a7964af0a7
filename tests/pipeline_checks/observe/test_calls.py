from contextlib import suppress

import torch
from torch import nn
from torch.nn import functional

from tdebug.pipeline_checks.observe.losses import loss_fact


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Conv2d(1, 4, 3)
        self.out = nn.Linear(9, 2)

    def forward(self, images):
        return self.out(self.features(images).flatten(1))


def test_the_innermost_function_that_raised_is_told_with_its_operands(watch_forward):
    model = Net()
    batch = [torch.zeros(2, 1, 8, 8), torch.zeros(2, dtype=torch.long)]

    failed = watch_forward(model, batch, lambda b: model(b[0])).record.failed

    assert (failed.function, failed.module, failed.module_type) == ("linear", "out", "Linear")
    assert [(o.name, o.shape) for o in failed.operands] == [
        ("input", (2, 144)),
        ("out.weight", (2, 9)),
        ("out.bias", (2,)),
    ]
    assert failed.module_sizes["in_features"] == 9


def test_operands_that_are_batch_fields_are_named_so(watch_forward):
    model = nn.Identity()
    batch = {"x": torch.ones(2, 3), "y": torch.ones(4)}

    failed = watch_forward(model, batch, lambda b: b["x"] + b["y"]).record.failed

    assert [operand.field for operand in failed.operands] == ['["x"]', '["y"]']
    assert (failed.module, failed.function) == (None, "__add__") or failed.function == "add"


def test_tensors_in_lists_are_operands(watch_forward):
    model = nn.Identity()

    failed = watch_forward(
        model, [torch.ones(2, 3), torch.ones(3, 2)], lambda b: torch.cat([b[0], b[1]], dim=1)
    ).record.failed

    assert [operand.shape for operand in failed.operands] == [(2, 3), (3, 2)]
    assert failed.arguments == ("dim=1",)


def test_what_is_caught_by_the_user_is_not_the_failure_of_a_later_one(watch_forward):
    model = nn.Identity()

    def forward(batch):
        with suppress(RuntimeError):
            torch.ones(2) + torch.ones(3)
        raise ValueError("the user's own")

    seen = watch_forward(model, [], forward)

    assert seen.record.failed.error is not seen.error


def test_the_first_convolution_is_kept(watch_forward):
    model = Net()

    seen = watch_forward(model, [torch.zeros(2, 1, 5, 5)], lambda b: model(b[0]))

    convolution = seen.record.convolution
    assert (convolution.module, convolution.function) == ("features", "conv2d")
    assert (convolution.input.field, convolution.input.shape) == ("[0]", (2, 1, 5, 5))


def test_the_line_that_took_the_loss_off_the_graph_is_kept(watch_forward):
    model = nn.Linear(2, 1)

    def forward(batch):
        loss = model(batch[0]).mean()
        return torch.tensor(loss.item(), requires_grad=True)

    cut = watch_forward(model, [torch.ones(2, 2)], forward).record.cut

    assert cut.function == "item"
    assert "loss.item()" in cut.location.code


def test_a_tensor_without_gradient_is_not_cut_off(watch_forward):
    model = nn.Identity()

    seen = watch_forward(model, [torch.ones(2)], lambda b: b[0].sum().item())

    assert seen.record.cut is None


def test_at_most_two_hundred_losses_are_kept(watch_forward):
    model = nn.Identity()
    x, y = torch.ones(2), torch.zeros(2)

    def forward(_):
        return sum(functional.mse_loss(x, y) for _ in range(300))

    assert len(watch_forward(model, [x, y], forward).record.losses) == 200


def test_what_an_observer_of_ours_detaches_is_no_cut(watch_forward):
    model = nn.Linear(2, 1)

    def forward(batch):
        output = model(batch[0])
        loss_fact(output.mean(), 0)  # reads the value through detach()
        return output.mean()

    assert watch_forward(model, [torch.ones(2, 2)], forward).record.cut is None
