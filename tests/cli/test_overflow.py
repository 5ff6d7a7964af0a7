"""`tdebug overflow` end to end, on a T5-like feed-forward whose values grow beyond float16."""

import json
import os
import signal

import pytest

PIPELINE = '''
"""A T5-like gated feed-forward whose activations grow from block to block."""
import torch
from torch import nn

CONFIG = {"precision": "fp16", "batch_size": 8}


class GatedFeedForward(nn.Module):
    def __init__(self):
        super().__init__()
        self.wi_0, self.wi_1 = nn.Linear(16, 32, bias=False), nn.Linear(16, 32, bias=False)
        self.wo = nn.Linear(32, 16, bias=False)

    def forward(self, hidden):
        return self.wo(nn.functional.gelu(self.wi_0(hidden)) * self.wi_1(hidden))


class Block(nn.Module):
    def __init__(self, dropout):
        super().__init__()
        self.layer_norm, self.DenseReluDense = nn.LayerNorm(16), GatedFeedForward()
        self.dropout = nn.Dropout(dropout)

    def forward(self, hidden):
        return hidden + self.dropout(self.DenseReluDense(self.layer_norm(hidden)))


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed, self.head = nn.Embedding(32, 16), nn.Linear(16, 4)
        self.block = nn.ModuleList([Block(0.0), Block(0.0), Block(0.1)])

    def forward(self, tokens):
        hidden = self.embed(tokens)
        for block in self.block:
            hidden = block(hidden)
        return self.head(hidden.mean(1))


def tokens():
    return torch.randint(0, 32, (64, 6), generator=torch.Generator().manual_seed(1))


def build_model():
    torch.manual_seed(0)
    model = Encoder()
    for block, largest in zip(model.block, (40.0, 2000.0, 62000.0)):
        _grow(model, block, largest)
    return model.train()


@torch.no_grad()
def _grow(model, block, largest):
    """Scale wo so that its largest output, over all samples, is this."""
    seen = []
    handle = block.DenseReluDense.wo.register_forward_hook(lambda *call: seen.append(call[2]))
    model.eval()(tokens())
    handle.remove()
    block.DenseReluDense.wo.weight.mul_(largest / seen[0].abs().max())


def build_dataset():
    return [(row, number % 4) for number, row in enumerate(tokens())]


def build_loss():
    return nn.CrossEntropyLoss()


def build_optimizer(model):
    return torch.optim.AdamW(model.parameters(), lr=0.0)
'''
SLOW = """
import time, torch
from torch import nn

CONFIG = {"batch_size": 2}

class Slow(nn.Module):
    def __init__(self):
        super().__init__()
        self.out = nn.Linear(3, 2)
    def forward(self, x):
        time.sleep(0.2)
        return self.out(x)

def build_model():
    return Slow()
def build_dataset():
    return [(torch.randn(3), number % 2) for number in range(2000)]
def build_loss():
    return nn.CrossEntropyLoss()
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "t5_like.py").write_text(PIPELINE)
    (tmp_path / "slow.py").write_text(SLOW)
    return tmp_path


def test_a_feed_forward_that_grows_beyond_float16_is_told_as_a_story(folder, run_apart):
    result = run_apart("overflow", "t5_like.py", "--epochs", "3", cwd=folder)

    lines = result.stdout.splitlines()
    assert (result.returncode, result.stderr) == (1, "")
    assert lines[0].startswith("inf in the output of 'block.2.dropout' (Dropout)")
    assert any("block.2.DenseReluDense.wo (Linear) gave" in line for line in lines)
    assert any("return hidden + self.dropout(self.DenseReluDense(" in line for line in lines)
    assert "65504, the largest float16" in " ".join(result.stdout.split())
    largest = [float(line.split()[2]) for line in lines if line.startswith("    output")]
    wo = [row for row, line in enumerate(lines) if ".wo  Linear" in line]
    grown = [float(lines[row + 3].split()[2]) for row in wo]
    assert grown == sorted(grown)
    assert 50_000 < grown[-1] < 65504
    assert largest[-1] == float("inf")
    assert lines[-1].startswith("t5_like.py: inf in batch ")


def test_a_run_without_nan_is_one_line_in_text_and_all_of_it_in_json(folder, run_apart):
    arguments = ["t5_like.py", "--precision=fp32", "--max-batches=2", "--format=json"]
    result = run_apart("overflow", *arguments, cwd=folder)

    body = json.loads(result.stdout)
    assert (result.returncode, body["exit_code"], result.stderr) == (0, 0, "")
    assert (body["watch"]["num_batches"], body["watch"]["num_steps"]) == (2, 2)
    assert any("block.2" in said for said in body["watch"]["forecasts"])


def test_ctrl_c_tells_what_was_watched_until_then(folder, run_on_terminal):
    def interrupt(process, _):
        os.killpg(process.pid, signal.SIGINT)

    result = run_on_terminal("overflow", "slow.py", cwd=folder, when={"batch 8": interrupt})

    assert result.code == 130
    assert "loss 0." in result.text
    assert "interrupted" in " ".join(result.screen())
    assert "no nan or inf" in " ".join(result.screen())


def test_a_spec_that_is_not_there_is_2(run_here):
    result = run_here("overflow", "nothing.yaml")

    assert (result.code, result.out) == (2, "")
    assert "nothing.yaml" in result.err
