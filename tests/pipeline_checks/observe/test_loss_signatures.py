import torch
from torch.nn import functional

from tdebug.pipeline_checks.observe.loss_signatures import SIGNATURES, name_arguments


def test_every_loss_is_one_of_torch_s():
    others = {name for name in SIGNATURES if not hasattr(functional, name)}
    assert others == {"nll_loss_nd"}
    assert hasattr(torch._C._nn, "nll_loss_nd")


def test_arguments_are_named_by_place_and_by_their_own_name():
    assert name_arguments("ctc_loss", (1, 2, 3, 4), {"blank": 0}) == {
        "input": 1,
        "target": 2,
        "input_lengths": 3,
        "target_lengths": 4,
        "blank": 0,
    }
    found = name_arguments("margin_ranking_loss", (), {"input1": 1, "input2": 2, "target": 3})
    assert found == {"input": 1, "input2": 2, "target": 3}
