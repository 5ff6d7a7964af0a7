from types import SimpleNamespace

import pytest
import torch
from torch import nn

from tdebug.pipeline_checks.observe.mixing import look_at_mixing

ROWS = 6


class Placed(nn.Module):
    """Adds to each sample what its row says."""

    def __init__(self, size=20, dim=0):
        super().__init__()
        self.register_buffer("pe", torch.randn(size, 1, 8))
        self.inner, self.out, self.dim = nn.Linear(3, 8), nn.Linear(8, 2), dim

    def forward(self, x, lengths=None):
        del lengths
        code = self.pe[: x.size(self.dim)]
        return self.out((self.inner(x) + (code if self.dim == 0 else code.transpose(0, 1))).mean(1))


class Noisy(nn.Module):
    """Draws for each row in eval mode too."""

    def __init__(self):
        super().__init__()
        self.out = nn.Linear(3, 2)

    def forward(self, x):
        return self.out(x.mean(1)) + torch.randn(len(x), 2)


class Stateful(nn.Module):
    """Goes on from what each row had before."""

    def __init__(self):
        super().__init__()
        self.out, self.state = nn.Linear(3, 2), torch.randn(ROWS, 2)

    def forward(self, x):
        return self.out(x.mean(1)) + self.state


class Falling(Placed):
    """Takes only lengths that fall."""

    def forward(self, x, lengths):
        if not bool((lengths.diff() <= 0).all()):
            raise ValueError
        return super().forward(x)


def place(model, **more):
    x = torch.randn(ROWS, 9, 3)
    draw = SimpleNamespace(number=0, indices=tuple(range(ROWS)))
    loop = SimpleNamespace(
        model=model,
        style="pair",
        batches=[(draw, x)],
        session=SimpleNamespace(caught=(Exception,)),
        loss=lambda batch, _: model(batch, **more).square().mean(),
    )
    return look_at_mixing(loop)


def test_a_code_of_the_row_is_found_by_turning_the_rows():
    found = place(Placed())

    assert found.samples is None
    assert found.place.shape == (ROWS, 2)
    assert found.place.change > 0.01 * found.place.size


def test_a_code_of_the_step_is_right():
    assert place(Placed(dim=1)).place is None


@pytest.mark.parametrize("model", [Noisy(), Stateful(), Placed(size=ROWS)])
def test_noise_and_what_is_kept_for_each_row_are_not_asked(model):
    found = place(model)

    assert found.num_rows == ROWS
    assert found.place is None


def test_lists_of_one_value_a_row_cannot_be_turned():
    assert place(Placed(), lengths=[9, 8, 7, 6, 5, 4]).place is None


def test_rows_that_must_be_in_order_raise_unnoticed():
    found = place(Falling(), lengths=torch.tensor([9, 8, 7, 6, 5, 4]))

    assert found.place is None
    assert not torch.is_inference_mode_enabled()
