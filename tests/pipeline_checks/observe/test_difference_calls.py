import torch

from tdebug.pipeline_checks.observe.batch_context import BatchContext
from tdebug.pipeline_checks.observe.difference_calls import look_at_difference
from tdebug.pipeline_checks.observe.modules import ModuleWatch

MODEL = torch.nn.Linear(3, 1)


def look(code, first, second, output, batch):
    watch = ModuleWatch(MODEL, code)
    watch.output = output
    return look_at_difference((first, second), BatchContext(0, (0, 1, 2, 3), batch), watch)


def test_a_column_of_outputs_against_a_row_of_targets_is_noted_either_way(code):
    x, y = torch.ones(4, 3), torch.arange(4.0)
    output = MODEL(x)

    for pair in ((output, y), (y, output)):
        found = look(code, *pair, output, {"x": x, "y": y})
        assert (found.output.shape, found.target.field) == ((4, 1), '["y"]')


def test_what_was_reshaped_or_fits_is_meant(code):
    x, y = torch.ones(4, 3), torch.arange(4.0)
    output = MODEL(x)
    batch = {"x": x, "y": y}

    assert look(code, output[:, :1], y, output, batch) is None
    assert look(code, output, y[None], output, batch) is None
    assert look(code, output.squeeze(1), y, output, batch) is None
    assert look(code, output, 1.0, output, batch) is None
