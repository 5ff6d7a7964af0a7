"""The result is held once, and twice only while it grows wider."""

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import sys
import torch
from tdebug.gather import DistributedTensorGatherer

RESULT_BYTES, ROWS, STEPS = 128 * 2**20, 2048, 64
width, narrow = RESULT_BYTES // ROWS // 4, sys.argv[1] == "grows"


def read_kilobytes(name):
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith(name))


def run():
    gatherer = DistributedTensorGatherer(world_size=2, num_samples=ROWS)
    for step in range(STEPS):
        last = step == STEPS - 1
        gatherer.add_arrays(torch.ones(ROWS // STEPS, width if last or not narrow else width - 1))
    return gatherer.finalize()


before = read_kilobytes("VmRSS")
open("/proc/self/clear_refs", "w").write("5")  # the peak starts anew
result = run()
print((read_kilobytes("VmHWM") - before) * 1024 / (result.numel() * 4))
"""


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="reads the peak of Linux")
@pytest.mark.parametrize(("width", "most"), [("known", 1.2), ("grows", 2.2)])
def test_the_peak_is_a_small_multiple_of_the_result(width, most):
    done = subprocess.run(
        [sys.executable, "-W", "ignore::DeprecationWarning", "-c", PROGRAM, width],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )

    assert float(done.stdout) <= most


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="reads the peak of Linux")
def test_the_benchmark_has_figures_for_every_way():
    benchmark = Path(__file__).parents[2] / "benchmarks" / "gather.py"

    done = subprocess.run(
        [sys.executable, "-W", "ignore", benchmark, "--samples", "1000"],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )

    _, *rows = done.stdout.splitlines()
    assert len(rows) == 3
    for row in rows:
        seconds, _, peak = map(float, row.split()[-3:])
        assert seconds > 0
        assert peak > 1
