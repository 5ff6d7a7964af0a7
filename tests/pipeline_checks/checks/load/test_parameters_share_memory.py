import torch
from torch import nn

from tdebug.pipeline_checks.checks.load.parameters_share_memory import parameters_share_memory
from tdebug.pipeline_checks.observe.model import look_at_model
from tdebug.pipeline_checks.observe.user_code import UserCode


class Lm(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb, self.out = nn.Embedding(9, 4), nn.Linear(4, 9, bias=False)


def found(model):
    return list(parameters_share_memory(look_at_model(model, UserCode())))


def test_weights_tied_by_their_data_are_two_parameters_in_one_place():
    model = Lm()
    model.out.weight.data = model.emb.weight.data

    (problem,) = found(model)

    assert "out.weight and emb.weight are separate parameters in the same memory" in problem.message
    assert "model.out.weight = model.emb.weight, without .data" in problem.hint


def test_tied_parameters_and_flattened_rnn_weights_are_fine():
    tied = Lm()
    tied.out.weight = tied.emb.weight

    assert not found(tied)
    assert not found(nn.LSTM(4, 4, 2, bidirectional=True))


def test_frozen_lazy_and_meta_parameters_are_fine():
    frozen = Lm()
    frozen.out.weight.data = frozen.emb.weight.data
    frozen.requires_grad_(requires_grad=False)

    assert not found(frozen)
    assert not found(nn.LazyLinear(3))
    with torch.device("meta"):
        assert not found(Lm())
