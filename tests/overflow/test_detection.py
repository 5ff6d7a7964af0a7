"""What stops a run, wherever the value hides, and what does not."""

import dataclasses
from typing import Any, NamedTuple

import pytest
import torch
from torch import nn
from transformers.modeling_outputs import SequenceClassifierOutput

from tdebug.overflow import BatchLimitReachedError, DebugUnderflowOverflow, OverflowDetectedError

INF, NAN = float("inf"), float("nan")


class Returns(nn.Module):
    """Returns what it was given to return."""

    def __init__(self, value=None):
        super().__init__()
        self.value = value

    def forward(self, *args, **kwargs):
        return self.value


@dataclasses.dataclass
class Output:
    loss: Any
    hidden: Any = None


class Pair(NamedTuple):
    first: Any
    second: Any


GOOD, BAD = torch.ones(2, 3), torch.tensor([[1.0, INF, 0.0], [0.0, 0.0, 0.0]])


def detect(model, *args, **kwargs):
    with DebugUnderflowOverflow(model) as debugger:
        try:
            model(*args, **kwargs)
        except OverflowDetectedError as error:
            return error.report
    assert debugger.report is None
    return None


@pytest.mark.parametrize(
    ("value", "context"),
    [
        (BAD, "output"),
        ((GOOD, BAD), "output[1]"),
        ((GOOD, (GOOD, BAD)), "output[1][1]"),
        ([GOOD, [GOOD, (BAD,)]], "output[1][1][0]"),
        ({"logits": BAD}, "output[logits]"),
        ({"a": {"b": [BAD]}}, "output[a][b][0]"),
        (Output(GOOD, BAD), "output.hidden"),
        (Pair(GOOD, BAD), "output[1]"),
        (SequenceClassifierOutput(loss=GOOD, logits=BAD), "output[logits]"),
    ],
)
def test_inf_is_found_in_every_kind_of_output(value, context):
    report = detect(Returns(value))

    assert [row.context for row in report.bad_rows] == [context]
    assert context in report.where


@pytest.mark.parametrize(
    "value",
    [
        torch.tensor([True, False]),
        torch.tensor([-128, 3], dtype=torch.int8),
        torch.tensor([3], dtype=torch.uint16),
        torch.empty(0),
        torch.empty(2, 0, 3),
        torch.ones(2, device="meta"),
        torch.eye(3).to_sparse(),
        torch.tensor([1 + 2j]),
        torch.ones(4).to(torch.float8_e4m3fn),
        torch.ones(2, dtype=torch.float16),
        torch.ones(2, dtype=torch.bfloat16),
        torch.ones(2, dtype=torch.float64) * 1e300,
        "text",
        None,
        3,
        [],
        {},
        list(range(100)),
    ],
)
@pytest.mark.parametrize("defer", [False, True])
def test_values_without_inf_of_any_kind_pass(value, defer, capsys):
    model = Returns(value)
    with DebugUnderflowOverflow(model, defer=defer) as debugger:
        model(value)
        model(key=value)
    with DebugUnderflowOverflow(model, trace_batch_nums=[0]):
        model(value, key=value)

    assert debugger.report is None
    assert "Returns" in capsys.readouterr().out


@pytest.mark.parametrize(
    "value",
    [
        torch.tensor([1 + 2j, complex(0, NAN)]),
        torch.tensor([[0.0, INF], [0.0, 0.0]]).to_sparse(),
        torch.tensor([1.0, INF], dtype=torch.float16),
        torch.tensor([1.0, NAN], dtype=torch.bfloat16),
        torch.tensor([1.0, NAN]).to(torch.float8_e5m2),
        torch.tensor(NAN),
    ],
)
@pytest.mark.parametrize("defer", [False, True])
def test_nan_and_inf_are_found_in_unusual_tensors(value, defer):
    model = Returns(value)
    with (
        DebugUnderflowOverflow(model, defer=defer),
        pytest.raises(OverflowDetectedError, match="output of the model"),
    ):
        model()


def test_inputs_by_keyword_are_looked_at():
    report = detect(Returns(GOOD), hidden=BAD)

    assert [row.context for row in report.bad_rows] == ["input[hidden]"]


def test_a_bad_weight_and_a_bad_buffer_are_found():
    norm = nn.BatchNorm1d(2).eval()
    norm.running_mean[0] = NAN
    linear = nn.Linear(2, 2)
    with torch.no_grad():
        linear.bias[1] = INF

    buffers, weights = detect(norm, torch.ones(3, 2)), detect(linear, torch.ones(3, 2))

    assert "running_mean" in [row.context for row in buffers.bad_rows]
    assert [row.context for row in weights.bad_rows] == ["bias", "output"]
    assert weights.origin.first_bad == "weight"
    assert weights.origin.source_name == "bias"


def test_a_value_that_shows_first_in_the_root_belongs_to_its_own_batch(capsys):
    report = detect(Returns(BAD))

    assert report.batch_number == 0
    assert "Detected inf/nan during batch_number=0" in capsys.readouterr().out


class Masked(nn.Module):
    """Attention scores with a mask of -inf, made inside or handed in."""

    def __init__(self):
        super().__init__()
        self.scores, self.softmax = nn.Linear(4, 4), nn.Softmax(-1)
        self.register_buffer("causal", torch.full((4, 4), -INF).triu(1))

    def forward(self, x, mask):
        hidden = self.scores(x).masked_fill(mask.isinf(), -INF)
        return self.softmax(hidden + mask + self.causal)


@pytest.mark.parametrize("defer", [False, True])
def test_masks_of_minus_inf_are_no_finding(defer):
    model = Masked()
    mask = torch.zeros(4, 4)
    mask[:, 3] = -INF
    with DebugUnderflowOverflow(model, defer=defer) as debugger:
        for _ in range(3):
            model(torch.randn(4, 4), mask).sum().backward()

    assert debugger.report is None
    assert debugger.batch_number == 2


@pytest.mark.parametrize("defer", [False, True])
def test_a_contrastive_diagonal_of_minus_inf_is_no_finding(defer):
    class Contrastive(nn.Module):
        def __init__(self):
            super().__init__()
            self.encode = nn.Linear(4, 4)

        def forward(self, x):
            z = self.encode(x)
            return (z @ z.T).fill_diagonal_(-INF)

    model = Contrastive()
    with DebugUnderflowOverflow(model, defer=defer) as debugger:
        for _ in range(2):
            logits = model(torch.randn(4, 4))
            nn.functional.cross_entropy(logits, torch.tensor([1, 0, 3, 2])).backward()

    assert debugger.report is None


def test_a_minus_inf_that_overflowed_is_found_although_relu_eats_it():
    class Overflowing(nn.Module):
        def __init__(self):
            super().__init__()
            self.scale, self.relu = Times(-1e38), nn.ReLU()

        def forward(self, x):
            return self.relu(self.scale(x))

    report = detect(Overflowing(), torch.tensor([[1.0, 2.0, 100.0]]))

    assert report.frames[-1].module == "scale"
    assert report.origin.operator == "mul"
    assert report.origin.kind == "-inf"


class Times(nn.Module):
    def __init__(self, factor):
        super().__init__()
        self.factor = factor

    def forward(self, x):
        return x * self.factor


def test_a_row_that_is_masked_whole_is_found_with_both_operators():
    model = Masked()
    mask = torch.zeros(4, 4)
    mask[2] = -INF

    report = detect(model, torch.randn(4, 4), mask)

    assert (report.origin.operator, report.origin.masked_by.operator) == ("softmax", "masked_fill")
    assert 2 in report.origin.rows


def test_only_the_last_frames_are_shown(capsys):
    model = nn.Sequential(*[nn.Identity() for _ in range(30)], Times(INF))
    with (
        DebugUnderflowOverflow(model, max_frames_to_save=5) as debugger,
        pytest.raises(ValueError, match="inf/nan"),
    ):
        model(torch.ones(2))

    assert len(debugger.report.frames) == 5
    assert debugger.report.frames[-1].module == "30"
    assert "Last 5 forward frames:" in capsys.readouterr().out


def test_the_frames_are_those_of_the_batch_that_failed_dropout_included():
    torch.manual_seed(0)
    seen = []
    model = nn.Sequential(nn.Linear(8, 8), nn.Dropout(), Times(1e38), Times(1e38))
    model[1].register_forward_hook(lambda m, a, output: seen.append(output.abs().max().item()))

    report = detect(model, torch.randn(4, 8))

    assert seen[0] == seen[1] == report.frames[1].rows[-1].stats.abs_max


def test_state_is_untouched_by_the_second_run():
    torch.manual_seed(0)
    model = nn.Sequential(nn.BatchNorm1d(3), nn.Dropout(), Times(INF))
    with DebugUnderflowOverflow(model), pytest.raises(OverflowDetectedError):
        model(torch.randn(4, 3))
    tracked, following = model[0].running_mean.clone(), torch.rand(2)

    torch.manual_seed(0)
    plain = nn.Sequential(nn.BatchNorm1d(3), nn.Dropout(), Times(INF))
    plain(torch.randn(4, 3))

    assert torch.equal(tracked, plain[0].running_mean)
    assert torch.equal(following, torch.rand(2))


def test_a_run_that_cannot_be_repeated_says_so(capsys):
    class Once(nn.Module):
        calls = 0

        def forward(self, x):
            Once.calls += 1
            return x * INF if Once.calls == 1 else x

    report = detect(Once(), torch.ones(2))

    assert not report.is_reproduced
    assert "did not show it" in report.note
    assert report.bad_rows[0].stats.inf_count == 2
    assert "did not show it" in capsys.readouterr().out


def test_nothing_sticks_after_a_detection():
    model = Returns(BAD)
    debugger = DebugUnderflowOverflow(model)
    with pytest.raises(OverflowDetectedError):
        model()
    model.value = GOOD

    model()

    assert debugger.batch_number == 1
    debugger.detach()


def test_inf_in_a_traced_batch_is_said_and_does_not_stop(capsys):
    model = Returns(BAD)
    with DebugUnderflowOverflow(model, trace_batch_nums=[0]):
        model()
        model.value = GOOD
        model()

    assert "output has infs" in capsys.readouterr().out


@pytest.mark.parametrize("trace", [[], [0, 1, 2]])
def test_abort_comes_at_the_end_of_the_forward_of_that_batch(trace):
    model = nn.Linear(2, 2)
    with DebugUnderflowOverflow(model, trace_batch_nums=trace, abort_after_batch_num=1):
        model(torch.ones(1, 2))
        with pytest.raises(BatchLimitReachedError, match="after batch 1"):
            model(torch.ones(1, 2))


def test_the_users_exception_goes_on_and_the_report_is_printed_first(capsys):
    class Raises(nn.Module):
        def forward(self, x):
            raise KeyError("mine")

    model = nn.Sequential(Times(INF), Raises())
    with DebugUnderflowOverflow(model, defer=True), pytest.raises(KeyError, match="mine"):
        model(torch.ones(2))

    assert "Detected inf/nan" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "error", "sentence"),
    [
        ({"max_frames_to_save": 0}, ValueError, "max_frames_to_save is 0"),
        ({"max_frames_to_save": "3"}, TypeError, "max_frames_to_save takes a whole number"),
        ({"trace_batch_nums": 1}, TypeError, r"write \[1\]"),
        ({"abort_after_batch_num": "1"}, TypeError, "abort_after_batch_num takes"),
        ({"abort_after_batch_num": -1}, ValueError, "abort_after_batch_num is -1"),
    ],
)
def test_wrong_arguments_are_refused_with_a_sentence(arguments, error, sentence):
    with pytest.raises(error, match=sentence):
        DebugUnderflowOverflow(nn.Linear(1, 1), **arguments)


@pytest.mark.parametrize("defer", [False, True])
def test_minus_inf_in_some_columns_of_a_layer_is_an_overflow_and_no_mask(defer, capsys):
    model = nn.Sequential(nn.Linear(4, 2))
    with torch.no_grad():
        model[0].weight[0] = -3e38
        model[0].weight[1] = 1.0
    with (
        DebugUnderflowOverflow(model, defer=defer) as debugger,
        pytest.raises(OverflowDetectedError),
    ):
        model(torch.ones(3, 4))

    assert debugger.report.origin.operator == "addmm"
    assert "Linear" in capsys.readouterr().out
