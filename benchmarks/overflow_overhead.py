"""What detection costs: the training step with and without it, beside transformers' class.

    python benchmarks/overflow_overhead.py [--rounds 31] [--models tiny,bert,gpt2,cnn]
        [--threads N] [--json FILE]

All variants run in one process, on models with the same weights, interleaved in a new random order
each round; shown is the median over the rounds of (variant / plain step of the same round). Machine
noise on two shared cores is 5 to 10 %, so beside the in-situ ratio stands the detector's own CPU
time over the plain step: the time spent in its hooks, measured around them (what the measuring
itself costs is taken off), as the median of the steps and for the quietest of them (smallest own
time over smallest plain time), which a busy machine disturbs least.
"""

from __future__ import annotations

import argparse
import copy
import json
import random
import statistics
import sys
import time
import tracemalloc
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
import transformers
from torch import nn
from torch.optim.optimizer import _global_optimizer_post_hooks, _global_optimizer_pre_hooks
from torch.utils._python_dispatch import TorchDispatchMode
from transformers.debug_utils import DebugUnderflowOverflow as Original

from tdebug.overflow import DebugUnderflowOverflow

if TYPE_CHECKING:
    from collections.abc import Callable

LIMITS = {"tiny": 1.12, "bert": 1.05, "gpt2": 1.05, "cnn": 1.05}


@dataclass
class Variant:
    """One way of training: the model, its batch, its optimizer, and who watches it."""

    name: str
    model: nn.Module
    batch: dict[str, Any]
    optimizer: torch.optim.Optimizer

    def step(self) -> None:
        """Do one whole training step."""
        self.optimizer.zero_grad()
        output = self.model(**self.batch)
        loss = output.loss if hasattr(output, "loss") else output
        loss.backward()
        self.optimizer.step()


@dataclass
class Result:
    """What was measured for one model."""

    model: str
    rounds: int
    plain_ms: float
    detector_ratio: float
    original_ratio: float
    own_time_ratio: float
    quietest_own_time_ratio: float
    limit: float
    syncs_a_step: int
    original_syncs_a_step: int
    python_kib_added: float
    kept_tensor_kib: float


class BasicBlock(nn.Module):
    """The block of a small residual network."""

    def __init__(self, channels: int, out: int, stride: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(channels, out, 3, stride, 1, bias=False)
        self.bn1, self.relu = nn.BatchNorm2d(out), nn.ReLU(inplace=True)
        self.conv2, self.bn2 = nn.Conv2d(out, out, 3, 1, 1, bias=False), nn.BatchNorm2d(out)
        self.short: nn.Module = nn.Identity()
        if stride != 1 or channels != out:
            self.short = nn.Sequential(
                nn.Conv2d(channels, out, 1, stride, bias=False), nn.BatchNorm2d(out)
            )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Add the block's own path to the short one; `(batch, channels, height, width)`."""
        y = self.bn2(self.conv2(self.relu(self.bn1(self.conv1(x)))))
        return self.relu(y + self.short(x))


class ResNet(nn.Module):
    """ResNet18 for images of 32 x 32."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(
            nn.Conv2d(3, 64, 3, 1, 1, bias=False), nn.BatchNorm2d(64), nn.ReLU(inplace=True)
        )
        blocks: list[nn.Module] = []
        width = 64
        for out in (64, 128, 256, 512):
            blocks += [BasicBlock(width, out, 1 if out == width else 2), BasicBlock(out, out, 1)]
            width = out
        self.blocks, self.pool = nn.Sequential(*blocks), nn.AdaptiveAvgPool2d(1)
        self.head, self.loss = nn.Linear(512, 10), nn.CrossEntropyLoss()

    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        """Give the loss of images `(batch, 3, 32, 32)` with labels `(batch,)`."""
        return self.loss(self.head(self.pool(self.blocks(self.stem(x))).flatten(1)), y)


def build_bert(hidden: int, layers: int, intermediate: int, batch: int) -> tuple[nn.Module, dict]:
    """Build a BERT classifier with a batch of sequences of 128 tokens."""
    config = transformers.BertConfig(
        vocab_size=30522 if hidden > 64 else 1000,  # noqa: PLR2004 - the tiny one has few words
        hidden_size=hidden,
        num_hidden_layers=layers,
        num_attention_heads=max(2, hidden // 64),
        intermediate_size=intermediate,
        num_labels=2,
    )
    model = transformers.BertForSequenceClassification(config)
    ids = torch.randint(5, config.vocab_size, (batch, 128))
    labels = torch.randint(0, 2, (batch,))
    return model, {"input_ids": ids, "attention_mask": torch.ones_like(ids), "labels": labels}


def build_gpt2() -> tuple[nn.Module, dict]:
    """Build a GPT-2 of width 256 and 4 layers with a batch of 8 sequences of 128 tokens."""
    config = transformers.GPT2Config(vocab_size=8000, n_embd=256, n_layer=4, n_head=4)
    ids = torch.randint(5, config.vocab_size, (8, 128))
    return transformers.GPT2LMHeadModel(config), {"input_ids": ids, "labels": ids}


def build_cnn() -> tuple[nn.Module, dict]:
    """Build a ResNet18-like network with a batch of 16 images of 32 x 32."""
    return ResNet(), {"x": torch.randn(16, 3, 32, 32), "y": torch.randint(0, 10, (16,))}


MODELS: dict[str, Callable[[], tuple[nn.Module, dict]]] = {
    "tiny": lambda: build_bert(64, 2, 256, 8),
    "bert": lambda: build_bert(768, 4, 3072, 8),
    "gpt2": build_gpt2,
    "cnn": build_cnn,
}


class SyncCounter(TorchDispatchMode):
    """Counts the operators that wait for a device: each reads one number."""

    count = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Run the operator, count it if it is a sync."""
        del types
        if func is torch.ops.aten._local_scalar_dense.default:  # noqa: SLF001 - its name
            SyncCounter.count += 1
        return func(*args, **(kwargs or {}))


class OwnTime:
    """Adds up the CPU time that passes inside the detector's entry points."""

    def __init__(self, debugger: DebugUnderflowOverflow) -> None:
        self.seconds = 0.0
        self._probe = self._measure_probe()
        for module in debugger.model.modules():
            for hooks in (module._forward_pre_hooks, module._forward_hooks):  # noqa: SLF001
                for key, hook in list(hooks.items()):
                    hooks[key] = self._timed(hook)
        for hooks in (_global_optimizer_pre_hooks, _global_optimizer_post_hooks):
            for key, hook in list(hooks.items()):
                hooks[key] = self._timed(hook)

    def _timed(self, hook: Callable[..., Any]) -> Callable[..., Any]:
        def run(*args: Any) -> Any:
            begin = time.process_time()
            try:
                return hook(*args)
            finally:
                self.seconds += time.process_time() - begin - self._probe

        return run

    def _measure_probe(self) -> float:
        """Give what measuring an empty hook shows."""
        self._probe = 0.0
        empty = self._timed(lambda *_: None)
        shown = []
        for _ in range(200):
            self.seconds = 0.0
            empty(None)
            shown.append(self.seconds)
        self.seconds = 0.0
        return statistics.median(shown)


def build_variants(name: str) -> dict[str, Variant]:
    """Build the three variants on copies of one model."""
    torch.manual_seed(0)
    model, batch = MODELS[name]()
    variants = {}
    for kind in ("plain", "detector", "original"):
        own = copy.deepcopy(model).train()
        optimizer = torch.optim.AdamW(own.parameters(), lr=1e-5)
        variants[kind] = Variant(kind, own, batch, optimizer)
    Original(variants["original"].model)
    return variants


def measure_own_time(
    variant: Variant, debugger: DebugUnderflowOverflow, steps: int
) -> tuple[float, float]:
    """Give the detector's CPU time over that of the plain step: median, and of the quietest."""
    own = OwnTime(debugger)
    spent = []
    for _ in range(steps):
        own.seconds = 0.0
        begin = time.process_time()
        variant.step()
        total = time.process_time() - begin
        spent.append((own.seconds, total - own.seconds))
    median = statistics.median(inside / plain for inside, plain in spent)
    return median, min(inside for inside, _ in spent) / min(plain for _, plain in spent)


def count_syncs(model: nn.Module, variant: Variant, *, deferred: bool) -> int:
    """Count the syncs of one step on the accelerator's path (`deferred`) or as it is."""
    debugger = DebugUnderflowOverflow(model, defer=True) if deferred else None
    SyncCounter.count = 0
    with SyncCounter():
        variant.optimizer.zero_grad()
        output = variant.model(**variant.batch)
        (output.loss if hasattr(output, "loss") else output).backward()
    if debugger is not None:
        debugger.detach()
    return SyncCounter.count


def measure_model(name: str, rounds: int) -> Result:
    """Measure one model."""
    variants = build_variants(name)
    debugger = DebugUnderflowOverflow(variants["detector"].model)
    times: dict[str, list[float]] = {kind: [] for kind in variants}
    for variant in variants.values():
        variant.step()
    for _ in range(rounds):
        for kind in random.sample(list(variants), len(variants)):
            begin = time.perf_counter()
            variants[kind].step()
            times[kind].append(time.perf_counter() - begin)
    share, quietest = measure_own_time(variants["detector"], debugger, max(20, rounds))
    debugger.detach()
    python_kib = measure_python_memory(variants["detector"])
    kept = sum(b.numel() * b.element_size() for b in variants["plain"].model.buffers()) / 1024
    plain = times["plain"]

    def ratio(kind: str) -> float:
        return statistics.median(t / p for t, p in zip(times[kind], plain, strict=True))

    return Result(
        name,
        rounds,
        statistics.median(plain) * 1e3,
        ratio("detector"),
        ratio("original"),
        1 + share,
        1 + quietest,
        LIMITS[name],
        count_syncs(variants["detector"].model, variants["detector"], deferred=True),
        count_syncs(variants["original"].model, variants["original"], deferred=False),
        python_kib,
        kept,
    )


def measure_python_memory(variant: Variant) -> float:
    """Give the KiB of Python objects that a step with a detector leaves more than one without."""
    sizes = []
    for watched in (False, True):
        debugger = DebugUnderflowOverflow(variant.model) if watched else None
        variant.step()
        tracemalloc.start()
        variant.step()
        sizes.append(tracemalloc.get_traced_memory()[0])
        tracemalloc.stop()
        if debugger is not None:
            debugger.detach()
    return (sizes[1] - sizes[0]) / 1024


def print_result(result: Result) -> None:
    """Print one line for a model."""
    verdict = "ok" if result.own_time_ratio <= result.limit else "MISSED"
    print(
        f"{result.model:5} plain {result.plain_ms:7.1f} ms | own time {result.own_time_ratio:.3f} "
        f"(quietest {result.quietest_own_time_ratio:.3f}, limit {result.limit:.2f}, {verdict}) | "
        f"in situ {result.detector_ratio:.2f}, "
        f"original {result.original_ratio:.2f} | syncs {result.syncs_a_step}, original "
        f"{result.original_syncs_a_step} | memory {result.python_kib_added:.0f} KiB of Python, "
        f"{result.kept_tensor_kib:.0f} KiB of buffers kept"
    )
    sys.stdout.flush()


def main() -> None:
    """Measure the models that were asked for."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=31)
    parser.add_argument("--models", default=",".join(MODELS))
    parser.add_argument("--json", type=Path)
    parser.add_argument("--threads", type=int, help="threads of torch; fewer on a busy machine")
    options = parser.parse_args()
    if options.threads:
        torch.set_num_threads(options.threads)
    print(f"torch {torch.__version__}, {torch.get_num_threads()} threads")
    results = []
    for name in options.models.split(","):
        results.append(measure_model(name, options.rounds))
        print_result(results[-1])
    if options.json:
        options.json.write_text(json.dumps([asdict(result) for result in results], indent=1))


if __name__ == "__main__":
    main()
