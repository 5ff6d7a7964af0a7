import pytest
import torch

from tdebug.pipeline_checks.observe.batch_context import BatchContext
from tdebug.pipeline_checks.observe.calls import CallRecord, CallWatch
from tdebug.pipeline_checks.observe.modules import ModuleWatch

MODEL = torch.nn.Linear(3, 1)
WEIGHTS = torch.tensor([[0.5], [1.0], [2.0], [4.0]])
FLAT = torch.tensor([0.5, 1.0, 2.0, 4.0])


@pytest.fixture
def seen(code):
    def run(compute):
        record, watch = CallRecord(), ModuleWatch(MODEL, code)
        batch = {"x": torch.ones(4, 3), "w": WEIGHTS, "v": FLAT}
        with CallWatch(BatchContext(0, (0, 1, 2, 3), batch), watch, record):
            compute(MODEL(batch["x"]))
        return record.spread

    return run


@pytest.mark.parametrize(
    ("compute", "function", "field"),
    [
        (lambda out: (out.squeeze(1) * WEIGHTS).mean(), "mul", '["w"]'),
        (lambda out: torch.mean(WEIGHTS * out.squeeze(1)), "mul", '["w"]'),
        (lambda out: (out * FLAT).sum() / FLAT.sum(), "mul", '["v"]'),
        (lambda out: (out.squeeze(1) / WEIGHTS).mean(), "div", '["w"]'),
        (lambda out: (out.squeeze(1) * WEIGHTS.exp()).mean(), "mul", None),
    ],
)
def test_losses_and_weights_that_broadcast_and_are_averaged_are_noted(
    seen, compute, function, field
):
    spread = seen(compute)
    assert (spread.function, spread.target.field) == (function, field)


@pytest.mark.parametrize(
    "compute",
    [
        lambda out: (out * WEIGHTS).mean(),
        lambda out: (out.squeeze(1) * FLAT).mean(),
        lambda out: (out.squeeze(1) * WEIGHTS).mean(1).max(),
        lambda out: (out.squeeze(1) * WEIGHTS).relu().mean(),
        lambda out: (out.squeeze(1) * out).mean(),
        lambda out: (WEIGHTS / out.squeeze(1)).mean(),
        lambda out: (FLAT * WEIGHTS).mean() + out.mean(),
        lambda out: (out.squeeze(1) * 2).mean(),
    ],
)
def test_what_fits_and_pairs_that_are_used_otherwise_are_meant(seen, compute):
    assert seen(compute) is None
