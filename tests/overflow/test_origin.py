"""The operator, module, line and rows where a nan or inf began."""

import dataclasses
import json

import pytest
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

from tdebug.overflow import find_origin, replay_state

INF = float("inf")


class Block(nn.Module):
    """A model of one layer and a function of the test's own."""

    def __init__(self, function, width=4):
        super().__init__()
        torch.manual_seed(0)
        self.layer, self.rest, self.function = nn.Linear(width, width), Function(function), function

    def forward(self, *inputs):
        return self.rest(self.layer(inputs[0]), *inputs[1:])


class Function(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *args):
        return self.function(*args)


def origin_of(function, *inputs, loss=lambda y: y.sum(), labels=()):
    model = Block(function)
    inputs = inputs or (torch.randn(3, 4, generator=torch.Generator().manual_seed(1)),)

    def run():
        value = loss(model(*inputs))
        value.backward()
        return value

    with replay_state(model):
        return find_origin(run, model, labels=labels)


X = torch.randn(3, 4, generator=torch.Generator().manual_seed(1))


def test_a_division_by_zero_in_the_forward():
    n = torch.tensor([1.0, 0.0, 2.0])

    origin = origin_of(lambda y, n: y / n[:, None], X, n, labels=["a", "b", "c"])

    assert (origin.operator, origin.phase, origin.kind) == ("div", "forward", "inf")
    assert (origin.module, origin.module_class) == ("rest", "Function")
    assert (origin.rows, origin.row_labels) == ((1,), ("b",))
    assert origin.first_bad == "activation"
    assert "y / n[:, None]" in origin.location.source
    assert origin.location == origin.user_location
    assert origin.input_names == ("self", "other")
    assert origin.inputs[1].zero_share == pytest.approx(1 / 3)
    assert "division by zero" in origin.summary()
    assert "sample b" in origin.summary()


def test_an_inf_gradient_of_a_square_root_of_zero():
    origin = origin_of(lambda y: (y * 0).sqrt())

    assert (origin.operator, origin.phase, origin.kind) == ("div", "backward", "inf")
    assert origin.node == "SqrtBackward0"
    assert origin.first_bad == "gradient"
    assert origin.parameters == ("layer.weight", "layer.bias")
    assert origin.module == "rest"
    assert origin.forward_location == origin.location
    assert "sqrt()" in origin.location.source
    assert (origin.became_nan_in.operator, origin.became_nan_in.node) == ("mul", "MulBackward0")


def test_a_logarithm_of_zero_in_a_loss_outside_the_model():
    origin = origin_of(lambda y: y.relu(), loss=lambda y: -(y * 0).log().mean())

    assert (origin.operator, origin.kind, origin.first_bad) == ("log", "-inf", "loss")
    assert (origin.module, origin.module_class) == ("", "")
    assert "outside the model's modules" in origin.summary()
    assert "logarithm of zero" in origin.summary()


def test_a_root_of_a_negative_number():
    origin = origin_of(lambda y: (-y.abs() - 1).sqrt())

    assert (origin.operator, origin.kind) == ("sqrt", "nan")
    assert "square root of a negative number" in origin.summary()


def test_a_product_beyond_float16_says_what_it_would_have_been():
    origin = origin_of(lambda y: (y.abs() + 1).half() * 300 * 300)

    assert (origin.operator, origin.kind) == ("mul", "inf")
    assert origin.dtype_limit == 65504.0
    assert origin.float64_abs_max > 65504
    assert "above 65504, the largest float16" in origin.summary()


def test_a_cast_beyond_float16():
    origin = origin_of(lambda y: (y + 1e5).half())

    assert (origin.operator, origin.kind) == ("to", "inf")
    assert origin.float64_abs_max > 65504


@pytest.mark.parametrize(
    ("function", "operator"),
    [
        (lambda y: (y + 1).div_(0), "div_"),
        (lambda y: y.clone().mul_(INF), "mul_"),
        (lambda y: torch.cat([y, torch.exp(y.abs() + 1000)]), "exp"),
        (lambda y: torch.stack([y, (y * 0).reciprocal()]).sum(0), "reciprocal"),
        (lambda y: torch.where(y.abs() < 100, y / 0, y), "div"),
        (lambda y: (y.abs() + 500).softmax(1) / 0 + y, "div"),
    ],
)
def test_the_operator_is_named(function, operator):
    assert origin_of(function).operator == operator


def test_a_write_into_a_slice_is_followed():
    def function(y):
        y = y.clone()
        y[1:2] = y[1:2] / 0
        y[0] = 1.0
        return y + 1

    origin = origin_of(function)

    assert (origin.operator, origin.kind) == ("div", "inf")
    assert "y[1:2] / 0" in origin.location.source


def test_inf_minus_inf_names_both_operators():
    def function(y):
        big = y.abs().add(1) * 1e38 * 1e10
        return big - big.flip(0)

    origin = origin_of(function)

    assert (origin.operator, origin.kind) == ("mul", "inf")
    assert origin.became_nan_in.operator == "sub"
    assert "big - big.flip" in origin.became_nan_in.location.source


def test_a_mask_that_hides_a_whole_row_is_named_with_the_softmax():
    mask = torch.zeros(3, 4, dtype=torch.bool)
    mask[:, 0], mask[1] = True, True

    origin = origin_of(lambda y, m: y.masked_fill(m, -INF).softmax(-1), X, mask)

    assert (origin.operator, origin.masked_by.operator) == ("softmax", "masked_fill")
    assert origin.rows == (1,)
    assert "where 1 of 3 rows ([1]) is nothing but -inf (all is masked)" in origin.reason
    assert "The -inf is that of a mask, by 'masked_fill' at " in origin.summary()


@pytest.mark.parametrize(
    "function",
    [
        lambda y: y.masked_fill(y > 0, -INF).softmax(-1),
        lambda y: torch.where(torch.eye(3, 4) > 0, -INF, y).softmax(-1),
        lambda y: (y + torch.full((3, 4), -INF).triu(2)).softmax(-1),
        lambda y: (y + torch.full((3, 4), torch.finfo(y.dtype).min).triu(1) * 2).softmax(-1),
        lambda y: y + torch.empty(3, 4).fill_(0),
        lambda y: y.masked_fill(y > 0, INF).amin(1),
        lambda y: y.tanh() + (y.detach().half() * 1e4).pow(3).tanh().float() * 0,
        lambda y: y + torch.log(torch.zeros(3, 4)).clamp(min=-1),
    ],
)
def test_what_is_meant_or_does_no_harm_is_no_finding(function):
    assert origin_of(function) is None


def test_an_infinite_loss_is_a_finding_even_if_the_mask_was_meant():
    origin = origin_of(
        lambda y: y.masked_fill(torch.eye(3, 4) > 0, -INF),
        loss=lambda y: nn.functional.cross_entropy(y, torch.tensor([0, 1, 2])),
    )

    assert origin.operator == "nll_loss_forward"
    assert "meets 3 of 3 targets ([:]) whose class has -inf for a score" in origin.reason


ROWS = torch.tensor([[0.0, -INF, 0.0, 0.0], [-INF] * 4, [0.0] * 4])


@pytest.mark.parametrize(
    ("function", "operator", "reason"),
    [
        (
            lambda y: torch.logsumexp(y + ROWS, 1).pow(2),
            "logsumexp",
            "1 of 3 rows ([1]) is nothing",
        ),
        (
            lambda y: (y + ROWS).log_softmax(1),
            "log_softmax",
            "(all is masked), whose log_softmax is nan",
        ),
        (lambda y: (y + ROWS).amax(1).abs(), "amax", "all of it is -inf"),
        (lambda y: (y + ROWS) * (ROWS == 0), "mul", "multiplies 0 by an infinity, in 5 elements"),
        (lambda y: (y + ROWS).neg(), "neg", "turns the -inf of a mask into inf"),
        (
            lambda y: (
                (y.half() * 0 + torch.zeros(3, 4).masked_fill(ROWS < 0, -INF).half())
                .softmax(-1)
                .float()
            ),
            "softmax",
            "1 of 3 rows ([1]) is nothing but -inf",
        ),
    ],
)
def test_a_mask_is_no_origin_but_where_its_infinity_gets_out(function, operator, reason):
    origin = origin_of(function)

    assert origin.operator == operator
    assert reason in origin.reason


def test_label_smoothing_of_a_masked_class_is_told():
    hide = torch.tensor([False, False, False, True])

    origin = origin_of(
        lambda y: y.masked_fill(hide, -INF),
        loss=lambda y: nn.functional.cross_entropy(y, torch.tensor([0, 1, 2]), label_smoothing=0.1),
    )

    assert (origin.operator, origin.masked_by.operator) == ("sum", "masked_fill")
    assert "as label smoothing does" in origin.reason


def test_the_logarithm_of_zero_is_no_mask():
    origin = origin_of(lambda y: y * (y > 9).float().log())

    assert origin.operator == "log"


@pytest.mark.filterwarnings("ignore:.*degrees of freedom:UserWarning")  # torch says so too
@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (lambda y: y[y > 99].mean(), "it is the mean of 0 elements [0]"),
        (lambda y: nn.functional.l1_loss(y[:0], y[:0]), "it is the mean of 0 elements [0, 4]"),
        (lambda y: nn.functional.mse_loss(y[:0], y[:0]), "it is the mean loss of 0 elements"),
        (lambda y: y[:, :0].mean(1), "it is the mean of 0 elements [3, 0]"),
        (lambda y: y[:0].std(), "it is the standard deviation of 0 elements"),
        (lambda y: y[:1].std(0), "it is the standard deviation of 1 value (input [1, 4])"),
        (lambda y: y[:1, :1].var(), "it is the variance of 1 value"),
        (lambda y: torch.var_mean(y[:, :1], -1)[0], "it is the variance of 1 value"),
        (lambda y: y[:0].sum() / len(y[:0]), "it divides by the number 0"),
        (
            lambda y: nn.functional.cross_entropy(y, torch.full((3,), 255), ignore_index=255),
            "all 3 targets are 255, the ignore_index",
        ),
        (
            lambda y: nn.functional.cross_entropy(
                y, torch.tensor([0, 0, 0]), weight=torch.tensor([0.0, 1, 1, 1])
            ),
            "the class weight of every one is 0",
        ),
    ],
)
def test_what_nothing_was_averaged_over_is_said(function, reason):
    origin = origin_of(function)

    assert reason in origin.reason


def test_nan_in_the_batch_is_traced_to_the_input_and_its_position():
    x = X.clone()
    x[2, 1] = float("nan")

    origin = origin_of(lambda y: y, x)

    assert (origin.source, origin.source_name) == ("input", "input[0]")
    assert origin.rows == (2,)
    assert origin.positions == ((2, 1),)
    assert "was in 'input[0]' of the model already" in origin.summary()


def test_nan_in_a_weight_is_named():
    model = Block(lambda y: y)
    with torch.no_grad():
        model.layer.weight[0, 0] = INF

    origin = find_origin(lambda: model(X).sum(), model)

    assert (origin.first_bad, origin.source, origin.source_name) == (
        "weight",
        "weight",
        "layer.weight",
    )
    assert origin.parameters == ("layer.weight",)


def test_nan_in_labels_comes_from_outside():
    labels = torch.tensor([[1.0], [float("nan")], [0.0]])

    origin = origin_of(lambda y: y, loss=lambda y: ((y - labels) ** 2).mean())

    assert (origin.operator, origin.source, origin.first_bad) == ("sub", "outside", "loss")
    assert origin.rows == (1,)


def test_memory_that_nobody_wrote_is_said_to_be_so():
    torch.use_deterministic_algorithms(mode=True)  # fills such memory with nan
    try:
        origin = origin_of(lambda y: y + torch.empty(3, 4))
    finally:
        torch.use_deterministic_algorithms(mode=False)

    assert (origin.operator, origin.source) == ("add", "uninitialised")
    assert "memory that nothing had written" in origin.summary()


def test_every_label_ignored_is_explained():
    origin = origin_of(
        lambda y: y,
        loss=lambda y: nn.functional.cross_entropy(y, torch.tensor([-100, -100, -100])),
    )

    assert "all 3 targets are -100, the ignore_index" in origin.summary()


@pytest.mark.parametrize("reentrant", [True, False])
def test_a_backward_operator_in_a_checkpointed_block(reentrant):
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.block = Block(lambda y: (y * 0).sqrt())

        def forward(self, x):
            return checkpoint(self.block, x, use_reentrant=reentrant)

    model = Model()

    def run():
        loss = model(X.clone().requires_grad_()).sum()
        loss.backward()
        return loss

    origin = find_origin(run, model)

    assert (origin.operator, origin.node) == ("div", "SqrtBackward0")
    assert origin.module == "block.rest"


def test_an_overflow_that_is_swallowed_in_a_norm_is_found():
    class Norm(nn.Module):
        def forward(self, x):
            return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6)

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            torch.manual_seed(0)
            self.layer, self.norm = nn.Linear(4, 4), Norm()

        def forward(self, x):
            return self.norm(self.layer(x).half() * 500).float()

    model = Model()

    origin = find_origin(lambda: model(X).sum(), model)

    assert origin.is_swallowed
    assert (origin.operator, origin.module, origin.swallowed_in) == ("pow", "norm", "norm")
    assert origin.kind == "inf"
    assert origin.float64_abs_max > 65504
    assert "overflowed unseen" in origin.summary()


def test_the_origin_is_plain_data():
    origin = origin_of(lambda y: y / 0)

    text = json.dumps(dataclasses.asdict(origin))

    assert json.loads(text)["operator"] == "div"


def test_a_library_line_and_the_users_line_are_told_apart(build_example):
    example = build_example("bert")
    with torch.no_grad():
        example.model.bert.encoder.layer[0].intermediate.dense.weight.mul_(1e38)
        example.model.bert.encoder.layer[0].intermediate.dense.bias.fill_(3e38)

    origin = find_origin(lambda: example.run().loss, example.model)

    assert "site-packages" in origin.location.file
    assert "transformers" in origin.location.file
    assert origin.user_location.file.endswith(("conftest.py", "test_origin.py"))


def test_replay_state_puts_everything_back():
    model = nn.Sequential(nn.BatchNorm1d(4), nn.Dropout(), nn.Linear(4, 1))
    model(X).sum().backward()
    gradient, mean = model[2].weight.grad, model[0].running_mean.clone()
    torch.manual_seed(3)

    with replay_state(model):
        assert model[2].weight.grad is None
        model(X).sum().backward()

    assert model[2].weight.grad is gradient
    assert torch.equal(model[0].running_mean, mean)
    following = torch.rand(2)
    torch.manual_seed(3)
    assert torch.equal(following, torch.rand(2))


def test_a_square_that_overflows_is_not_called_a_negative_power():
    class Squared(nn.Module):
        def forward(self, x):
            return torch.relu(x) ** 2

    x = torch.tensor([[0.0, 400.0], [-1.0, 2.0]], dtype=torch.float16)
    origin = find_origin(lambda: model(x).sum(), model := Squared())

    assert origin.operator == "pow"
    assert "negative power" not in origin.summary()
    assert origin.float64_abs_max == 160000.0
