"""Two processes under DistributedDataParallel."""

import os
import subprocess
import sys

SCRIPT = """
import torch
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from tdebug.overflow import DebugUnderflowOverflow

torch.distributed.init_process_group("gloo")
rank = torch.distributed.get_rank()


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.first, self.second = nn.Linear(2, 2), nn.Linear(2, 1)

    def forward(self, x):
        return self.second(self.first(x).abs() * 1e20)


model = DistributedDataParallel(Net())
optimizer = torch.optim.SGD(model.parameters(), lr=1e-30)
with DebugUnderflowOverflow(model) as debugger:
    for n in range(2):
        x = torch.ones(1, 2) * (1e25 if rank == n == 1 else 1)
        optimizer.zero_grad()
        try:
            model(x).sum().backward()
            optimizer.step()
        except ValueError:
            report = debugger.report
            assert report.rank == rank == 1
            assert report.batch_number == 1
            assert report.origin.operator == "mul", report.origin
            print("FOUND", report.where, flush=True)
            break
import os
os._exit(0)
"""


def test_the_rank_that_overflows_reports_itself_with_its_number_on_each_line(tmp_path):
    script = tmp_path / "train.py"
    script.write_text(SCRIPT)
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"]

    run = subprocess.run(
        [*command, str(script)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )

    lines = run.stdout.splitlines()
    assert "[rank 1] Detected inf/nan during batch_number=1" in lines, run.stdout + run.stderr
    assert any(line.startswith("[rank 1] Where it began: First inf") for line in lines)
    assert not any(line.startswith("[rank 0]") for line in lines)
    assert any(line.startswith("FOUND") and "of 'second'" in line for line in lines)
