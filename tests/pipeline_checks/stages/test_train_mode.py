import pytest
from torch import nn

from tdebug.pipeline_checks.pipeline.parts import Pipeline
from tdebug.pipeline_checks.stages.train_mode import put_in_train_mode


class Hub(nn.Linear):
    """Given out by a library, in eval mode."""

    @classmethod
    def from_pretrained(cls):
        return cls(2, 2).eval()


def step(*_):
    return None


@pytest.mark.parametrize(
    ("model", "own", "expected"),
    [
        (nn.Linear(2, 2).eval(), step, False),
        (nn.Linear(2, 2).eval(), None, True),
        (nn.Sequential(nn.Dropout().eval()), step, True),
        (Hub.from_pretrained(), step, True),
    ],
)
def test_only_a_builder_s_own_eval_before_an_own_loop_stays(model, own, expected):
    put_in_train_mode(Pipeline(model=model, train_step=own), model)

    assert all(module.training is expected for module in model.modules())
