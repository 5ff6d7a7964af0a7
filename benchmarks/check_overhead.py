"""What `tdebug check` costs over a bare script that does the same work.

Whole processes, in turn: `tdebug check` on a sample, and a script that builds the same objects and
does the same reads, collates, forwards, backwards and one optimizer step without looking at
anything. Also: how soon the first line of progress shows on a terminal, and how long `--help` takes
against a typer app with one command.

    python benchmarks/check_overhead.py [--rounds 5]

Aims: at most 1.25 times the bare script plus one second; progress within 300 ms; `--help` within
1.5 times the bare typer app. Ratios of medians; the load of the machine is printed beside them.
"""

from __future__ import annotations

import argparse
import os
import pty
import select
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SAMPLES = Path(__file__).resolve().parent.parent / "sample_configs"
SECONDS_ALLOWED = 60

DIGITS = """
import sys, torch
sys.path.insert(0, {samples!r})
import digits_pipeline as p
torch.manual_seed(42)
model, dataset, loss = p.build_model(), p.build_dataset(), p.build_loss()
optimizer = p.build_optimizer(model)
loader = torch.utils.data.DataLoader(dataset, batch_size=8)
collate, indices = loader.collate_fn, list(loader.batch_sampler)
call = lambda b: loss(model(b[0]), b[1])
"""
MNLI = """
import sys, torch
sys.path.insert(0, {samples!r})
import mnli_pipeline as p
from transformers import set_seed
set_seed(42)
trainer = p.build_trainer()
model, dataset = trainer.model, trainer.train_dataset
optimizer, loader = trainer.create_optimizer(), trainer.get_train_dataloader()
collate, indices = loader.collate_fn, list(loader.batch_sampler)
call = lambda b: trainer.compute_loss(model, trainer._prepare_inputs(b))
"""
WORK = """
for i in range(min(256, len(dataset))):
    dataset[i]
chosen = indices[:8] + (indices[-1:] if len(indices) > 8 else [])
batches = [collate([loader.dataset[i] for i in batch]) for batch in chosen]
model.train()
for batch in batches:
    optimizer.zero_grad()
    call(batch).backward()
optimizer.step()
"""
TYPER = """
import typer
app = typer.Typer()

@app.command()
def check(spec: str = "tdebug.yaml") -> None:
    "Check a pipeline."

app()
"""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5, help="runs of each, in turn")
    rounds = parser.parse_args().rounds
    tdebug = str(Path(sys.executable).with_name("tdebug"))
    print(f"load before: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    for name, build in (("digits", DIGITS), ("mnli", MNLI)):
        script = build.format(samples=str(SAMPLES)) + WORK
        bare = [sys.executable, "-c", script]
        check = [tdebug, "check", str(SAMPLES / f"{name}.yaml")]
        compare(name, bare, check, rounds)
    with tempfile.NamedTemporaryFile("w", suffix=".py") as app:
        app.write(TYPER)
        app.flush()
        compare("--help", [sys.executable, app.name, "--help"], [tdebug, "--help"], 2 * rounds)
    waits = [first_progress([tdebug, "check", str(SAMPLES / "digits.yaml")]) for _ in range(rounds)]
    print(f"first progress on a terminal: {1000 * statistics.median(waits):.0f} ms (aim: 300)")
    print(f"load after: {os.getloadavg()[0]:.1f}")


def compare(name: str, bare: list[str], check: list[str], rounds: int) -> None:
    """Run both in turn and print the medians."""
    seconds: dict[str, list[float]] = {"bare": [], "tdebug": []}
    for _ in range(rounds):
        seconds["bare"].append(run(bare))
        seconds["tdebug"].append(run(check))
    one, other = (statistics.median(values) for values in seconds.values())
    over = other - 1.25 * one
    print(
        f"{name:8} bare {one:6.2f} s, tdebug {other:6.2f} s: {other / one:.2f} times, "
        f"{over:+.2f} s against 1.25 times (aim: at most +1.00)"
    )


def run(command: list[str]) -> float:
    """Seconds of the whole process.

    Raises:
        RuntimeError: It failed.
    """
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}
    began = time.monotonic()
    done = subprocess.run(command, capture_output=True, env=environment, check=False)
    seconds = time.monotonic() - began
    if done.returncode:
        raise RuntimeError(f"{command[:3]} ended with {done.returncode}: {done.stderr[-2000:]!r}")
    return seconds


def first_progress(command: list[str]) -> float:
    """Seconds until the first byte reaches a terminal."""
    ours, theirs = pty.openpty()
    began = time.monotonic()
    process = subprocess.Popen(command, stderr=theirs, stdout=theirs, stdin=subprocess.DEVNULL)
    os.close(theirs)
    select.select([ours], [], [], SECONDS_ALLOWED)
    waited = time.monotonic() - began
    process.kill()
    process.wait()
    os.close(ours)
    return waited


if __name__ == "__main__":
    main()
