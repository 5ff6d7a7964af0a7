from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn.functional import cross_entropy

from tdebug.pipeline_checks.observe.mixing import look_at_mixing


@dataclass
class Loop:
    """As much of a training loop as is asked for."""

    model: Any
    batch: Any
    loss_of: Any
    style: str = "pair"
    rows: int = 6
    session: Any = field(default_factory=lambda: SimpleNamespace(caught=(Exception,)))

    @property
    def batches(self):
        return [(SimpleNamespace(number=0, indices=tuple(range(self.rows))), self.batch)]

    def loss(self, batch, number):
        del number
        return self.loss_of(self.model, batch)


def classify(model, batch):
    return cross_entropy(model(batch[0]), batch[1])


def predict_next(model, ids):
    return cross_entropy(model(ids)[:, :-1].flatten(0, 1), ids[:, 1:].flatten())


def ask(model, x, rows=6):
    return look_at_mixing(Loop(model.train(), (x, torch.arange(rows) % 2), classify, rows=rows))


class LastStep(nn.Module):
    def __init__(self, **options):
        super().__init__()
        self.rnn, self.out = nn.LSTM(3, 8, **options), nn.Linear(8, 2)

    def forward(self, x):
        return self.out(self.rnn(x)[0][:, -1])


class Tokens(nn.Module):
    def __init__(self, *, is_causal):
        super().__init__()
        layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
        self.emb, self.enc, self.out = (
            nn.Embedding(20, 8),
            nn.TransformerEncoder(layer, 1, enable_nested_tensor=False),
            nn.Linear(8, 20),
        )
        self.is_causal = is_causal

    def forward(self, ids):
        mask = nn.Transformer.generate_square_subsequent_mask(ids.shape[1])
        return self.out(self.enc(self.emb(ids), mask=mask if self.is_causal else None))


def test_a_softmax_over_the_batch_mixes_samples():
    model = nn.Sequential(nn.Linear(4, 2), nn.LogSoftmax(0))

    assert ask(model, torch.randn(6, 4)).samples is not None
    assert ask(model[:1], torch.randn(6, 4)).samples is None


def test_an_rnn_that_takes_the_batch_for_time_mixes_samples():
    found = ask(LastStep(), torch.randn(6, 9, 3))

    assert found.num_rows == 6
    assert found.samples.shape == (6, 2)
    assert found.samples.change > 0.01
    assert ask(LastStep(batch_first=True), torch.randn(6, 9, 3)).samples is None


def test_batch_norm_and_dropout_do_not_mix_in_eval_mode():
    model = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Dropout(0.5), nn.Linear(8, 2))
    before = {name: value.clone() for name, value in model.state_dict().items()}

    assert ask(model, torch.randn(6, 4)).samples is None
    assert model.training
    assert model[2].training
    assert all(torch.equal(before[name], value) for name, value in model.state_dict().items())


def test_a_matrix_of_samples_against_samples_is_meant():
    class Pairs(nn.Module):
        def forward(self, x):
            return x @ x.T

    found = look_at_mixing(
        Loop(Pairs(), torch.randn(6, 4), lambda m, x: cross_entropy(m(x), torch.arange(6)))
    )

    assert found.not_asked_because == "no output has one row for each sample"


@pytest.mark.parametrize("shape", [(9, 6, 3), (6, 6, 3)])
def test_time_first_is_not_taken_for_rows(shape):
    assert ask(LastStep(), torch.randn(*shape)).not_asked_because


def test_a_forward_that_is_random_in_eval_mode_or_keeps_a_state_is_not_judged():
    class Stateful(nn.Module):
        def __init__(self):
            super().__init__()
            self.out, self.count = nn.Linear(4, 2), 0

        def forward(self, x):
            self.count += 1
            return self.out(x) * self.count

    found = ask(Stateful(), torch.randn(6, 4))

    assert found.not_asked_because == "the forward gives other values each time"


def test_a_model_that_sees_the_token_that_it_is_to_predict():
    ids = torch.randint(0, 20, (6, 9), generator=torch.Generator().manual_seed(0))

    seen = look_at_mixing(Loop(Tokens(is_causal=False), ids, predict_next))
    unseen = look_at_mixing(Loop(Tokens(is_causal=True), ids, predict_next))

    assert seen.future.shape == (6, 9, 20)
    assert unseen.future is None
    assert unseen.samples is None


def test_a_tagger_may_look_at_later_tokens():
    ids = torch.randint(0, 20, (6, 9), generator=torch.Generator().manual_seed(0))

    def tag(model, ids):
        return cross_entropy(model(ids).flatten(0, 1), (ids % 5).flatten())

    assert look_at_mixing(Loop(Tokens(is_causal=False), ids, tag)).future is None


def test_what_cannot_be_asked_says_why():
    few = ask(nn.Linear(4, 2), torch.randn(2, 4), rows=2)
    own = Loop(nn.Linear(4, 2), None, None, style="train_step")

    assert "fewer than 3" in few.not_asked_because
    assert look_at_mixing(own).not_asked_because == "the loop is the user's own"


class LossOfEach(nn.Module):
    """Gives the contrastive loss of each sample, which the others are part of."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 3)

    def forward(self, x):
        found = self.layer(x)
        return cross_entropy(found @ found.T, torch.arange(len(x)), reduction="none")


class BalancedCodes(nn.Module):
    """Gives scores, and codes without gradients that are balanced over the batch."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 3)

    def forward(self, x):
        scores = self.layer(x)
        return scores, scores.detach().softmax(0)


@pytest.mark.parametrize("kind", [LossOfEach, BalancedCodes])
def test_losses_of_single_samples_and_what_is_not_trained_may_mix(kind):
    x = torch.randn(6, 4, generator=torch.Generator().manual_seed(0))
    facts = look_at_mixing(Loop(kind(), x, lambda model, batch: model(batch)[0].sum()))
    assert facts.not_asked_because == ""
    assert facts.samples is None
    assert facts.place is None
