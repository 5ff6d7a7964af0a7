"""Gradients averaged over real gloo processes are those of DistributedDataParallel."""

import pytest
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

from tdebug.pipeline_checks.watching.own_gradients import OwnGradients
from tdebug.pipeline_checks.watching.shared_gradients import average_gradients, copy_from_rank_0


def make_model(seed):
    torch.manual_seed(seed)
    return nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.ReLU(), nn.Linear(4, 2))


def make_batch():
    generator = torch.Generator().manual_seed(dist.get_rank())
    return torch.randn(8, 3, generator=generator), torch.arange(8) % 2


def backward(model):
    x, y = make_batch()
    nn.functional.cross_entropy(model(x), y).backward()


def compare_with_ddp():
    model = make_model(dist.get_rank())
    copy_from_rank_0(model)
    reference = DistributedDataParallel(make_model(0))
    backward(model)
    backward(reference)
    average_gradients(model)
    pairs = list(zip(model.parameters(), reference.module.parameters(), strict=True))
    return [
        all(torch.equal(own, other) for own, other in pairs),
        max(float((own.grad - other.grad).abs().max()) for own, other in pairs),
    ]


def average_what_not_all_have():
    rank = dist.get_rank()
    used, idle = nn.Linear(1, 1, bias=False), nn.Linear(1, 1, bias=False)
    rows = nn.Embedding(4, 1, sparse=True)
    model = nn.ModuleList([used, idle, rows, nn.Linear(1, 1)])
    model[3].requires_grad_(False)  # noqa: FBT003 - torch's own
    if rank == 0:
        used(torch.ones(1)).sum().backward()
    if rank == 1:
        rows(torch.tensor([2, 2])).sum().backward()
    average_gradients(model)
    return {
        "used": used.weight.grad.tolist(),
        "idle": idle.weight.grad,
        "rows": rows.weight.grad.to_dense().flatten().tolist(),
        "is_sparse": rows.weight.grad.is_sparse,
    }


def see_own_before_the_average():
    model = DistributedDataParallel(nn.Linear(2, 1))
    own = OwnGradients(model.module)
    factor = torch.inf if dist.get_rank() == 1 else 1.0
    (model(torch.ones(1, 2)) * factor).sum().backward()
    seen = [own.are_bad, bool(model.module.weight.grad.isfinite().all())]
    own.forget()
    own.detach()
    return [*seen, own.are_bad]


@pytest.mark.parametrize("num_ranks", [2, 3])
def test_the_average_and_the_first_weights_are_those_of_ddp(run_ranks, num_ranks):
    for result in run_ranks(compare_with_ddp, num_ranks):
        has_same_weights, difference = result.value
        assert has_same_weights
        assert difference < 1e-7


def test_a_gradient_that_a_rank_lacks_counts_as_zero(run_ranks):
    for result in run_ranks(average_what_not_all_have, 2):
        assert result.value == {
            "used": [[0.5]],
            "idle": None,
            "rows": [0.0, 0.0, 1.0, 0.0],
            "is_sparse": True,
        }


def test_a_bad_gradient_is_known_on_the_rank_that_made_it(run_ranks):
    values = [result.value for result in run_ranks(see_own_before_the_average, 2)]

    assert values == [[False, False, False], [True, False, False]]
