"""Time and peak memory of gathering predictions: tdebug.gather beside two usual ways.

    python benchmarks/gather.py            # a table; under a minute
    python benchmarks/gather.py --ranks 3  # the same with real gloo processes; a few minutes

Without `--ranks` the chunks are made in place of an all_gather, so that only the keeping of them
is measured: `DistributedTensorGatherer` with chunks of one width, the same with chunks that grow
in the last step, and a list of chunks with `torch.cat` and a reordering at its end. With ranks the
ways are `gather_uneven` with the gatherer, `all_gather` with `torch.cat`, and one
`all_gather_object` of each rank's predictions at the end. Every figure comes from a process of its
own, forked from one that has imported torch; the peak is what Linux counts for it above what it
held before (`VmHWM`), over the result. A way that fails or takes too long has a line that says so.
"""

import argparse
import multiprocessing
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

import torch
import torch.distributed as dist

from tdebug.gather import DistributedTensorGatherer, gather_uneven

WIDTH = 1024  # float32: 4 KiB a sample
NUM_SAMPLES = [8_000, 16_000, 32_000, 64_000]
WORLD_SIZE = 4  # of the processes that are only pretended
ROWS = 32  # of each process in each step
REPEATS = 3
LIMIT_S = 300.0  # of one run

Figures = tuple[float, float]  # seconds, and the peak over the result


@dataclass(frozen=True)
class Run:
    """One way, for a number of samples, in so many real processes (0 for pretended ones)."""

    way: str
    num_samples: int
    num_ranks: int


def main() -> None:
    """Measure every way for every number of samples, and print the table."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--ranks", type=int, default=0, help="real gloo processes")
    parser.add_argument("--samples", type=int, nargs="+", default=NUM_SAMPLES)
    arguments = parser.parse_args()
    ways = WAYS_OF_RANKS if arguments.ranks else WAYS
    print(
        f"{'samples':>8} {'result MB':>9}  {'way':34} {'seconds':>8} {'us/sample':>9} {'peak':>5}"
    )
    for num_samples in arguments.samples:
        for way in ways:
            report(Run(way, num_samples, arguments.ranks))


def report(run: Run) -> None:
    """Print the line of one way: the fastest of some repetitions, and the highest peak."""
    runs = [run_once(run) for _ in range(REPEATS)]
    figures = [one for one in runs if not isinstance(one, str)]
    failures = [one for one in runs if isinstance(one, str)]
    line = f"{run.num_samples:8} {run.num_samples * WIDTH * 4 / 1e6:9.0f}  {run.way:34}"
    if figures:
        seconds, peak = min(each[0] for each in figures), max(each[1] for each in figures)
        line += f" {seconds:8.3f} {seconds / run.num_samples * 1e6:9.2f} {peak:5.2f}"
    if failures:
        line += f"  {len(failures)} of {REPEATS} runs {failures[0]}"
    print(line, flush=True)


def run_once(run: Run) -> Figures | str:
    """Run one way in fresh processes; the figures of the first, or why there are none."""
    fork = multiprocessing.get_context("fork")
    receiver, sender = fork.Pipe(duplex=False)
    with tempfile.TemporaryDirectory() as folder:
        store = f"file://{folder}/store"
        processes = [
            fork.Process(target=measure, args=(run, rank, store, sender))
            for rank in range(run.num_ranks or 1)
        ]
        try:
            for process in processes:
                process.start()
            sender.close()  # so that the end of the processes is the end of the pipe
            return receive(receiver, LIMIT_S)
        finally:
            for process in processes:
                process.join(1.0)
                process.kill()
                process.join()


def receive(receiver: Connection, seconds: float) -> Figures | str:
    """What the first process tells, or why it tells nothing."""
    if not receiver.poll(seconds):
        return f"took longer than {seconds:.0f} s"
    try:
        figures: Figures = receiver.recv()
    except EOFError:
        return "failed (the error stands above)"
    return figures


def measure(run: Run, rank: int, store: str, sender: Connection) -> None:
    """Run one way in this process; the first of several tells its figures."""
    torch.set_num_threads(1)
    if run.num_ranks:
        dist.init_process_group("gloo", init_method=store, rank=rank, world_size=run.num_ranks)
    gather = (WAYS | WAYS_OF_RANKS)[run.way]
    gather(WORLD_SIZE * ROWS)  # what is loaded once is not counted
    before = read_kilobytes("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")  # the peak starts anew
    start = time.perf_counter()
    result = gather(run.num_samples)
    seconds = time.perf_counter() - start
    peak = (read_kilobytes("VmHWM") - before) * 1024 / result.nbytes
    if result.shape != (run.num_samples, WIDTH) or not is_in_order(result):
        raise SystemExit("the result is not the predictions in dataset order")
    if rank == 0:
        sender.send((seconds, peak))


def is_in_order(result: torch.Tensor) -> bool:
    """Tell whether every row is the prediction of its sample."""
    return torch.equal(result[:, 0].long(), torch.arange(len(result)) % 2**20)


def read_kilobytes(name: str) -> int:
    """Read what Linux counts for this process."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(name))


def predict(samples: list[int], width: int = WIDTH) -> torch.Tensor:
    """Give predictions of which the first tells the sample."""
    predictions = torch.ones(len(samples), width)
    predictions[:, 0] = torch.tensor(samples) % 2**20
    return predictions


def deal(num_samples: int, rank: int, world_size: int) -> list[list[int]]:
    """Give the batches of one process: its block, with repeated samples at the end."""
    length = -(-num_samples // world_size)
    block = [index % num_samples for index in range(rank * length, (rank + 1) * length)]
    return [block[start : start + ROWS] for start in range(0, length, ROWS)]


def make_chunks(num_samples: int, narrow: int = WIDTH) -> Iterator[torch.Tensor]:
    """Give what an all_gather after every batch would; all but the last are `narrow`."""
    dealt = [deal(num_samples, rank, WORLD_SIZE) for rank in range(WORLD_SIZE)]
    steps = list(zip(*dealt, strict=True))
    for number, step in enumerate(steps):
        width = WIDTH if number == len(steps) - 1 else narrow
        yield predict([sample for batch in step for sample in batch], width)


def reorder(chunks: list[torch.Tensor], num_samples: int, world_size: int) -> torch.Tensor:
    """Bring chunks, each of which holds the rows of all processes, into dataset order."""
    blocks = [chunk.unflatten(0, (world_size, -1)) for chunk in chunks]
    return torch.cat(blocks, dim=1).flatten(0, 1)[:num_samples]


def keep_with_gatherer(num_samples: int, narrow: int = WIDTH) -> torch.Tensor:
    """Write every chunk to its place."""
    gatherer = DistributedTensorGatherer(WORLD_SIZE, num_samples)
    for chunk in make_chunks(num_samples, narrow):
        gatherer.add_arrays(chunk)
    return gatherer.finalize()


def keep_with_cat(num_samples: int) -> torch.Tensor:
    """Keep all chunks, and join them at the end."""
    return reorder(list(make_chunks(num_samples)), num_samples, WORLD_SIZE)


def gather_with_gatherer(num_samples: int) -> torch.Tensor:
    """Agree, gather, and write to its place, after every batch."""
    world_size = dist.get_world_size()
    gatherer = DistributedTensorGatherer(world_size, num_samples)
    for batch in deal(num_samples, dist.get_rank(), world_size):
        gatherer.add_arrays(gather_uneven(predict(batch)))
    return gatherer.finalize()


def gather_with_cat(num_samples: int) -> torch.Tensor:
    """Gather after every batch, and join at the end."""
    world_size = dist.get_world_size()
    chunks = []
    for batch in deal(num_samples, dist.get_rank(), world_size):
        predictions = predict(batch)
        parts = [torch.empty_like(predictions) for _ in range(world_size)]
        dist.all_gather(parts, predictions)
        chunks.append(torch.cat(parts))
    return reorder(chunks, num_samples, world_size)


def gather_objects(num_samples: int) -> torch.Tensor:
    """Send the pickled predictions of a whole rank at the end."""
    world_size = dist.get_world_size()
    own = torch.cat([predict(batch) for batch in deal(num_samples, dist.get_rank(), world_size)])
    everyones: list[torch.Tensor] = [torch.empty(0)] * world_size
    dist.all_gather_object(everyones, own)
    return torch.cat(everyones)[:num_samples]


WAYS = {
    "gatherer, width known": keep_with_gatherer,
    "gatherer, wider at the end": lambda number: keep_with_gatherer(number, WIDTH - 1),
    "list of chunks, torch.cat": keep_with_cat,
}
WAYS_OF_RANKS = {
    "gather_uneven, gatherer": gather_with_gatherer,
    "all_gather, torch.cat": gather_with_cat,
    "all_gather_object": gather_objects,
}

if __name__ == "__main__":
    main()
