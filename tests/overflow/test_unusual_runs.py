"""Forwards that are no plain training: transforms, tracing, fake tensors, fast paths."""

import io

import pytest
import torch
from torch import nn
from torch._subclasses import FakeTensorMode
from torch.func import functional_call, grad, vmap
from torch.nn.utils.rnn import pack_sequence

from tdebug.overflow import DebugUnderflowOverflow, replay_state

X = torch.linspace(-1, 1, 15).view(5, 3)


def build():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.ReLU(), nn.Linear(4, 2)).eval()


def run_fake(model):
    with FakeTensorMode(allow_non_fake_inputs=True) as mode:
        model(mode.from_tensor(X))


def run_per_sample_gradients(model):
    def loss(parameters, x):
        return functional_call(model, parameters, (x[None],)).sum()

    vmap(grad(loss), (None, 0))(dict(model.named_parameters()), X)


def run_double_backward(model):
    x = X.clone().requires_grad_()
    (first,) = torch.autograd.grad(model(x).square().sum(), x, create_graph=True)
    first.square().sum().backward()


RUNS = {
    "inference mode": lambda model: torch.inference_mode()(model)(X),
    "vmap": lambda model: vmap(lambda x: model(x[None]))(X),
    "func.grad": lambda model: grad(lambda x: model(x).sum())(X),
    "per-sample gradients": run_per_sample_gradients,
    "double backward": run_double_backward,
    "fake tensors": run_fake,
    "meta device": lambda model: model.to("meta")(X.to("meta")),
    "torch.jit.trace": lambda model: torch.jit.trace(model, X, check_trace=False),
    "bfloat16": lambda model: model.bfloat16()(X.bfloat16()),
    "float64": lambda model: model.double()(X.double()),
}


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # torch.jit is on its way out
@pytest.mark.parametrize("defer", [False, True])
@pytest.mark.parametrize("run", RUNS.values(), ids=RUNS.keys())
def test_the_run_goes_through_and_nothing_is_found(run, defer):
    model = build()
    with DebugUnderflowOverflow(model, defer=defer, file=io.StringIO()) as debugger:
        run(model)

    assert debugger.report is None


@pytest.mark.parametrize("defer", [False, True])
def test_modules_with_packed_sequences_and_attention_go_through(defer):
    lstm, attention = nn.LSTM(3, 4, batch_first=True), nn.MultiheadAttention(4, 2)
    with DebugUnderflowOverflow(lstm, defer=defer), DebugUnderflowOverflow(attention, defer=defer):
        packed, _ = lstm(pack_sequence([X, X[:2]]))
        attention(packed.data, packed.data, packed.data)


@pytest.mark.filterwarnings("ignore:Lazy modules")
@pytest.mark.parametrize("options", [{}, {"defer": True}, {"trace_batch_nums": [0]}], ids=str)
def test_lazy_modules_get_their_weights_under_watch(options):
    model = nn.Sequential(nn.LazyLinear(4), nn.LazyBatchNorm1d(), nn.LazyLinear(2))
    with DebugUnderflowOverflow(model, file=io.StringIO(), **options) as debugger:
        for _ in range(2):
            model(X).sum().backward()

    assert debugger.report is None


def test_inference_mode_is_under_detection():
    model = nn.Sequential(nn.Linear(3, 4), nn.LogSoftmax(1))
    with torch.no_grad():
        model[0].bias[0] = float("nan")
    with (
        DebugUnderflowOverflow(model, file=io.StringIO()) as debugger,
        torch.inference_mode(),
        pytest.raises(ValueError, match="inf/nan"),
    ):
        model(X)

    assert debugger.report.batch_text == "a forward before batch_number=0"
    assert debugger.report.frames[-1].module == "0"


def test_values_that_the_second_run_sees_under_autocast_are_those_of_the_first():
    class Mixed(nn.Module):
        def __init__(self):
            super().__init__()
            torch.manual_seed(0)
            self.first, self.second = nn.Linear(3, 3), nn.Linear(3, 3)
            self.factor = 3e4

        def forward(self, x):
            hidden = self.first(x) * self.factor
            with torch.autocast("cpu", enabled=False), torch.no_grad():
                return self.second(hidden.float() * 1e38)

    model = Mixed()
    with (
        DebugUnderflowOverflow(model, file=io.StringIO()) as debugger,
        torch.autocast("cpu", dtype=torch.float16),
        pytest.raises(ValueError, match="inf/nan"),
    ):
        model(X)

    report = debugger.report
    assert report.is_reproduced
    assert report.frames[0].rows[-1].stats.dtype == "float16"
    assert report.origin.operator == "mul"
    assert report.origin.output.dtype == "float32"


def test_a_t5_like_feed_forward_in_float16_grows_to_the_limit_and_is_named():
    class FeedForward(nn.Module):
        def __init__(self):
            super().__init__()
            torch.manual_seed(0)
            self.wi, self.wo = nn.Linear(8, 64, bias=False), nn.Linear(64, 8, bias=False)
            self.dropout = nn.Dropout(0.5)
            with torch.no_grad():
                self.wi.weight.abs_().mul_(50)
                self.wo.weight.abs_().mul_(400)

        def forward(self, x):
            return x + self.dropout(self.wo(self.wi(x).relu()))

    model, stream = nn.Sequential(FeedForward(), FeedForward()).train(), io.StringIO()
    with (
        DebugUnderflowOverflow(model, file=stream) as debugger,
        torch.autocast("cpu", dtype=torch.float16),
        pytest.raises(ValueError, match="inf/nan"),
    ):
        model(torch.ones(2, 8) * 16)

    origin = debugger.report.origin
    assert origin.module.endswith(("wo", "dropout"))
    assert origin.dtype_limit == 65504.0
    assert "the largest float16" in stream.getvalue()
    peaks = [row.stats.abs_max for frame in debugger.report.frames for row in frame.rows]
    assert max(p for p in peaks if p < float("inf")) > 1000


def test_a_run_makes_its_lazy_buffers_and_they_stay():
    model = nn.Sequential(nn.LazyLinear(4), nn.LazyBatchNorm1d())
    with replay_state(model):
        model(torch.rand(3, 2)).sum().backward()

    assert model[1].running_mean.shape == (4,)
    assert all(parameter.grad is None for parameter in model.parameters())
