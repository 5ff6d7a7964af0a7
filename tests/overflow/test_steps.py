"""Gradients before and weights after the optimizer step."""

import io

import pytest
import torch
from torch import nn

from tdebug.overflow import DebugUnderflowOverflow, OverflowDetectedError


class Ratio(nn.Module):
    """Divides by an input that may be 0; torch.where hides it in the forward only."""

    def __init__(self):
        super().__init__()
        self.net = nn.Linear(4, 1)

    def forward(self, x, n):
        y = self.net(x)[:, 0] / n
        return torch.where(n == 0, torch.zeros_like(y), y)


ZERO_IN_ROW_2 = torch.tensor([1.0, 2.0, 0.0, 1.0])


def test_a_nan_gradient_stops_before_the_weights_are_destroyed(capsys):
    model = Ratio()
    optimizer = torch.optim.Adam(model.parameters())
    before = model.net.weight.clone()
    with DebugUnderflowOverflow(model) as debugger:
        model(torch.randn(4, 4), ZERO_IN_ROW_2).sum().backward()
        with pytest.raises(OverflowDetectedError, match=r"weight.grad, bias.grad of 'net'"):
            optimizer.step()

    assert torch.equal(before, model.net.weight)
    report = debugger.report
    assert (report.stage, report.batch_number) == ("gradients", 0)
    assert report.origin.operator == "div"
    assert report.origin.phase == "backward"
    assert report.origin.node == "DivBackward0"
    assert report.origin.first_bad == "gradient"
    assert report.origin.rows == (2,)
    assert report.origin.parameters == ("net.weight", "net.bias")
    assert "self.net(x)[:, 0] / n" in report.origin.location.source
    assert "Detected inf/nan in the gradients of batch_number=0" in capsys.readouterr().out


def test_the_second_run_leaves_gradients_and_weights_alone():
    model = Ratio()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with DebugUnderflowOverflow(model, file=io.StringIO()):
        model(torch.randn(4, 4), torch.ones(4)).sum().backward()
        kept = model.net.weight.grad.clone()
        optimizer.step()

    assert torch.equal(kept, model.net.weight.grad)


def test_eps_that_is_zero_in_half_is_seen_right_after_the_step():
    model = nn.Embedding(10, 4).half()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    with DebugUnderflowOverflow(model, file=io.StringIO()) as debugger:
        model(torch.tensor([1, 2])).float().sum().backward()
        with pytest.raises(OverflowDetectedError, match="weight of the model"):
            optimizer.step()

    assert debugger.report.stage == "weights after the step"
    assert "eps of 1e-08 is 0 in float16" in debugger.report.note
    assert "step of Adam" in debugger.report.note
    assert debugger.report.batch_number == 0


def test_a_scaler_that_skips_its_first_steps_is_no_finding():
    model = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 2))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    scaler = torch.amp.GradScaler("cpu", init_scale=2.0**24)
    scales = []
    with DebugUnderflowOverflow(model) as debugger:
        for _ in range(8):
            optimizer.zero_grad()
            with torch.autocast("cpu", dtype=torch.float16):
                output = model(torch.randn(8, 6))
            loss = nn.functional.cross_entropy(output.float(), torch.tensor([0, 1] * 4))
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()
            scales.append(scaler.get_scale())

    assert debugger.report is None
    assert scales[0] < 2.0**24, "the scaler skipped no step, so the test shows nothing"


def test_a_fused_optimizer_is_noticed_although_it_moves_no_version():
    model = nn.Linear(2, 2)
    optimizer = torch.optim.AdamW(model.parameters(), lr=float("inf"), fused=True)
    with DebugUnderflowOverflow(model, file=io.StringIO(), watch_steps=False) as debugger:
        model(torch.ones(1, 2)).sum().backward()
        optimizer.step()
        with pytest.raises(OverflowDetectedError):
            model(torch.ones(1, 2))

    assert debugger.report.bad_rows[0].kind == "weight"


def test_the_optimizer_of_another_model_is_none_of_its_business():
    other = nn.Linear(1, 1)
    optimizer = torch.optim.SGD(other.parameters(), lr=0.1)
    other(torch.full((1, 1), torch.inf)).sum().backward()
    with DebugUnderflowOverflow(nn.Linear(1, 1)) as debugger:
        optimizer.step()

    assert debugger.report is None


def test_on_the_accelerators_path_gradients_are_read_with_the_next_forward():
    model = Ratio()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with DebugUnderflowOverflow(model, defer=True, file=io.StringIO()) as debugger:
        model(torch.randn(4, 4), ZERO_IN_ROW_2).sum().backward()
        optimizer.step()
        with pytest.raises(OverflowDetectedError, match=r"weight.grad of 'net'"):
            model(torch.randn(4, 4), torch.ones(4))

    assert debugger.report.stage == "gradients"
    assert debugger.report.batch_number == 0
    assert "one forward later" in debugger.report.note


def test_the_accelerators_path_that_waits_at_steps_tells_the_origin_of_a_gradient():
    model = Ratio()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    before = model.net.weight.detach().clone()
    with DebugUnderflowOverflow(
        model, defer=True, wait_at_steps=True, file=io.StringIO()
    ) as debugger:
        model(torch.randn(4, 4), ZERO_IN_ROW_2).sum().backward()
        with pytest.raises(OverflowDetectedError, match=r"weight.grad, bias.grad of 'net'"):
            optimizer.step()

    origin = debugger.report.origin
    assert (debugger.report.stage, debugger.report.batch_number) == ("gradients", 0)
    assert (origin.phase, origin.source, origin.first_bad) == ("backward", "operator", "gradient")
    assert origin.parameters == ("net.weight", "net.bias")
    assert torch.equal(model.net.weight, before)


def test_a_healthy_run_that_waits_at_steps_is_silent_and_its_weights_are_read_later():
    model = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 1))
    optimizer = torch.optim.AdamW(model.parameters())
    with DebugUnderflowOverflow(
        model, defer=True, wait_at_steps=True, file=io.StringIO()
    ) as debugger:
        for _ in range(2):
            model(torch.randn(3, 4)).sum().backward()
            optimizer.step()
            optimizer.zero_grad()
        assert debugger.report is None
        optimizer.param_groups[0]["lr"] = float("inf")
        model(torch.randn(3, 4)).sum().backward()
        optimizer.step()
        with pytest.raises(OverflowDetectedError):
            model(torch.randn(3, 4))

    assert debugger.report.stage == "weights after the step"


def test_a_loss_inside_the_model_beside_its_logits_is_run_again_once(build_example):
    example = build_example("bert")
    model = example.model.train()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    layer = model.bert.encoder.layer[1].output.dense
    layer.register_forward_hook(lambda m, a, output: SquareRoot.apply(output))
    with DebugUnderflowOverflow(model, file=io.StringIO()) as debugger:
        example.run().loss.backward()
        with pytest.raises(OverflowDetectedError):
            optimizer.step()

    assert debugger.report.is_reproduced
    assert debugger.report.origin.phase == "backward"
    assert debugger.report.origin.node == "SquareRootBackward"
    assert debugger.report.origin.module == "bert.encoder.layer.1.output.dense"


class SquareRoot(torch.autograd.Function):
    """Goes through unchanged, with an infinite gradient on the way back."""

    @staticmethod
    def forward(ctx, x):
        return x.clone()

    @staticmethod
    def backward(ctx, gradient):
        return gradient / torch.zeros_like(gradient)
