"""What two traces may differ by: rounding is silent, a planted fault is found where it is."""

import contextlib
import copy

import pytest
import torch
from torch import nn

from tdebug.overflow import Frame, Row, TensorStats, diff_traces, record_frames
from tdebug.overflow.trace_rounding import MOST_ALLOWED

FAMILIES = ["bert", "gpt2", "t5", "llama", "bart", "vit", "cnn"]
PRECISIONS = {
    "bf16 weights": (torch.bfloat16, None),
    "fp16 weights": (torch.float16, None),
    "fp64 weights": (torch.float64, None),
    "bf16 autocast": (None, torch.bfloat16),
    "fp16 autocast": (None, torch.float16),
}


def trace(example, cast=None, autocast=None):
    model, batch = copy.deepcopy(example.model).eval(), dict(example.batch)
    if cast is not None:
        model = model.to(cast)
        batch = {k: v.to(cast) if v.is_floating_point() else v for k, v in batch.items()}
    half = torch.autocast("cpu", dtype=autocast) if autocast else contextlib.nullcontext()
    with record_frames(model, 0) as frames, torch.no_grad(), half:
        model(**batch)
    return frames


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("family", FAMILIES)
def test_another_precision_alone_is_no_difference(family, precision, build_example):
    example = build_example(family)

    diff = diff_traces(trace(example), trace(example, *PRECISIONS[precision]))

    assert diff.first is None


def scale_weight(model):
    name = "bert.encoder.layer.1.attention.self.key"
    with torch.no_grad():
        model.get_submodule(name).weight.mul_(1.2)
    return {(name, "weight")}


def scale_output(model):
    name = "bert.encoder.layer.1.intermediate.dense"
    layer = model.get_submodule(name)
    layer.register_forward_hook(lambda module, args, output: output * 1.2)
    return {(name, "output")}


def change_eps(model):
    name = "bert.embeddings.LayerNorm"
    model.get_submodule(name).eps = 1e-3
    return {(name, "output")}


def drop_scale(model):
    name = "bert.encoder.layer.0.attention.self"
    model.get_submodule(name).scaling = 1.0
    return {(name, "output[0]"), ("bert.encoder.layer.0.attention.output.dense", "input[0]")}


@pytest.mark.parametrize("precision", ["same", "bf16 weights", "bf16 autocast", "fp16 autocast"])
@pytest.mark.parametrize("plant", [scale_weight, scale_output, change_eps, drop_scale])
def test_a_planted_fault_is_found_where_it_is_in_any_precision(plant, precision, build_example):
    example = build_example("bert")
    with torch.no_grad():  # larger than at the start, as after training
        for name, parameter in example.model.named_parameters():
            parameter.mul_(8.0 if "attention" in name and parameter.dim() > 1 else 1.0)
    good = trace(example)
    places = plant(example.model)

    diff = diff_traces(good, trace(example, *PRECISIONS.get(precision, ())))

    assert (diff.first.module, diff.first.context) in places


def train(half, build):
    torch.manual_seed(0)
    model = build()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    found = []
    for number in range(4):
        x = torch.randn(16, 6, generator=torch.Generator().manual_seed(number))
        with record_frames(model, number) as frames, half():
            loss = model(x).float().square().mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        found += frames
    return found


def build_normalized():
    return nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.GELU(), nn.Linear(8, 2))


def test_steps_that_are_nothing_but_rounding_are_no_difference():
    """The bias before a batch norm has a gradient of 0: what Adam makes of it is noise."""
    wide = train(contextlib.nullcontext, build_normalized)
    half = train(lambda: torch.autocast("cpu", dtype=torch.bfloat16), build_normalized)

    biases = [
        [
            row.stats.abs_max
            for f in frames
            for row in f.rows
            if (f.module, row.context) == ("0", "bias")
        ]
        for frames in (wide, half)
    ]
    assert biases[0][0] == biases[1][0]
    assert biases[0][3] != pytest.approx(biases[1][3], rel=1e-2)
    assert diff_traces(wide, half).first is None


def frames_of(num_frames, dtype, abs_max=1.0, batch=0):
    row = Row("output", "output", TensorStats((2,), dtype, 0.0, abs_max))
    return [Frame(f"layer.{i}", "L", batch, (row,), starts_batch=not i) for i in range(num_frames)]


def test_the_root_of_the_number_of_modules_is_allowed():
    first, second = frames_of(100, "bfloat16"), frames_of(100, "bfloat16", abs_max=0.5)

    allowed = [found.allowed for found in diff_traces(first, second).differences]

    assert allowed[0] == pytest.approx(2 * 2**-7)
    assert allowed[99] == pytest.approx(10 * allowed[0])


def test_batches_before_are_counted_and_half_as_large_is_never_rounding():
    pairs = [frames_of(100, "float16", size, batch=5) for size in (1.0, 0.4)]
    many = [frames_of(100, "bfloat16", size, batch=5000) for size in (1.0, 0.4)]

    assert diff_traces(*pairs).first.allowed == pytest.approx(2 * 2**-10 * (1 + 1500) ** 0.5)
    assert diff_traces(*many).first.allowed == MOST_ALLOWED


def test_traces_without_a_frame_agree():
    assert diff_traces([], []).first is None
