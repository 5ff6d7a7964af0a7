"""`tdebug overflow` end to end, on a T5-like feed-forward whose values grow beyond float16."""

import json
import os
import signal
import subprocess
import sys

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


ROOTED = """
import torch
from dataclasses import dataclass
from torch import nn

CONFIG = {"batch_size": 4}

@dataclass
class Arguments:
    shift: float = 0.0

class Rooted(nn.Module):
    def __init__(self, shift):
        super().__init__()
        self.shift = shift
        self.mix, self.out = nn.Linear(3, 4), nn.Linear(4, 2)
    def forward(self, x):
        mixed = self.mix(x) + self.shift
        return self.out(torch.sqrt(mixed))

def build_model(args=Arguments()):
    return Rooted(args.shift)
def build_dataset():
    print("printed")
    generator = torch.Generator().manual_seed(0)
    return [(torch.randn(3, generator=generator), number % 2) for number in range(16)]
def build_loss():
    return nn.CrossEntropyLoss()
"""


@pytest.fixture
def rooted(tmp_path):
    """A folder with a model that takes the root of what may be negative."""
    (tmp_path / "rooted.py").write_text(ROOTED)
    (tmp_path / "healthy.py").write_text(ROOTED.replace("shift: float = 0.0", "shift: float = 9.0"))
    raising = ROOTED.replace("return self.out(torch.sqrt(mixed))", "raise ValueError(mixed.shape)")
    (tmp_path / "raising.py").write_text(raising)
    (tmp_path / "tdebug.yaml").write_text("pipeline: rooted.py\narguments: rooted.py:Arguments\n")
    return tmp_path


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


def test_in_this_process_the_report_is_the_same_and_what_is_printed_is_not_in_it(rooted, run_apart):
    apart = run_apart("overflow", "rooted.py", "--format=json", cwd=rooted)
    inside = run_apart("overflow", "rooted.py", "--format=json", "--in-process", cwd=rooted)

    bodies = [json.loads(result.stdout) for result in (apart, inside)]
    assert [result.returncode for result in (apart, inside)] == [1, 1]
    assert bodies[0]["watch"] == bodies[1]["watch"]
    assert (apart.stderr, inside.stderr) == ("", "printed\n")


def test_the_debugger_stops_at_the_users_line_where_the_nan_shows(rooted, run_apart):
    keys = "p mixed.shape\nq\n"
    result = run_apart("overflow", "rooted.py", "--pdb", cwd=rooted, input=keys)

    assert result.returncode == 1
    assert "-> return self.out(torch.sqrt(mixed))" in result.stderr
    assert result.stderr.count("(Pdb)") == 2
    assert "torch.Size([4, 4])" in result.stderr
    assert result.stdout.startswith("nan in the input[0], output of 'out' (Linear)")


def test_the_debugger_stops_once_where_the_users_code_raises(rooted, run_apart):
    result = run_apart("overflow", "raising.py", "--pdb", cwd=rooted, input="p 6 * 7\nq\n")

    assert result.returncode == 1
    assert "ValueError: torch.Size([4, 4])" in result.stderr
    assert result.stderr.count("(Pdb)") == 2
    assert "TD305" in result.stdout


@pytest.mark.parametrize("command", ["overflow", "trace"])
def test_options_after_the_dashes_fill_the_dataclasses_of_the_spec(rooted, run_apart, command):
    arguments = [command, "--in-process", *(["--batches=0"] if command == "trace" else [])]
    given = run_apart(*arguments, "--", "--shift", "9", cwd=rooted)
    wrong = run_apart(*arguments, "--", "--shfit", "9", cwd=rooted)

    assert "no nan" in given.stdout
    assert (given.returncode, wrong.returncode) == (0, 2)
    assert "'--shfit' (did you mean '--shift'?)" in wrong.stderr


def test_several_processes_and_this_one_are_refused_with_a_sentence(rooted, run_apart):
    result = run_apart("overflow", "rooted.py", "--nproc=2", "--pdb", cwd=rooted)

    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr == (
        "--nproc: 2 processes cannot be this one. Leave out --in-process and --pdb.\n"
    )


def test_two_ranks_are_told_as_one_training(rooted, run_apart):
    result = run_apart("overflow", "rooted.py", "--nproc=2", cwd=rooted)

    assert (result.returncode, result.stderr) == (1, "")
    assert result.stdout.startswith("All 2 ranks went bad at once; on rank 0: nan in the input[0]")
    assert "nan in batch 0 on ranks 0 and 1 " in result.stdout


# What the platform of Windows means for the command line, on any platform.
WITHOUT_WORKER = """
import sys
from types import SimpleNamespace
from tdebug.cli import event_sources
event_sources.os = SimpleNamespace(name="nt")
from tdebug.cli.main import main
code = main(sys.argv[1:])
assert "tdebug.pipeline_checks.worker.process" not in sys.modules
sys.exit(code)
"""


@pytest.mark.parametrize("command", ["overflow", "trace"])
def test_where_there_can_be_no_worker_this_process_does_it(rooted, command):
    def run(*arguments):
        program = [sys.executable, "-c", WITHOUT_WORKER, command, *arguments]
        return subprocess.run(program, capture_output=True, text=True, check=False, cwd=rooted)

    refused, done = run("healthy.py"), run("healthy.py", "--in-process")
    assert (refused.returncode, refused.stdout, done.returncode) == (2, "", 0)
    assert refused.stderr == (
        f"{command}: the worker needs pipes and signals that Windows has not. "
        "Run it with --in-process.\n"
    )


def test_a_spec_that_is_not_there_is_2(run_here):
    result = run_here("overflow", "nothing.yaml")

    assert (result.code, result.out) == (2, "")
    assert "nothing.yaml" in result.err
