"""No alarm on training runs that are all right, in any precision."""

import contextlib

import pytest
import torch

from tdebug.overflow import DebugUnderflowOverflow, find_origin, replay_state

FAMILIES = ["bert", "gpt2", "t5", "llama", "mixtral", "deberta", "bart", "vit", "cnn"]
PRECISIONS = {
    "fp32": contextlib.nullcontext,
    "bf16": lambda: torch.autocast("cpu", dtype=torch.bfloat16),
    "fp16": lambda: torch.autocast("cpu", dtype=torch.float16),
}


def loss_of(output):
    return output.loss if hasattr(output, "loss") else output.float().square().mean()


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("family", FAMILIES)
def test_the_detector_is_silent(family, precision, build_example, capsys):
    example = build_example(family)
    example.model.train()
    optimizer = torch.optim.AdamW(example.model.parameters(), lr=1e-4)

    with DebugUnderflowOverflow(example.model) as debugger:
        for _ in range(2):
            optimizer.zero_grad()
            with PRECISIONS[precision]():
                loss = loss_of(example.run())
            loss.backward()
            optimizer.step()

    assert debugger.report is None
    assert debugger.batch_number == 1
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("family", FAMILIES)
def test_no_origin_is_named(family, precision, build_example):
    example = build_example(family)
    example.model.train()

    def run():
        with PRECISIONS[precision]():
            loss = loss_of(example.run())
        loss.backward()
        return loss

    with replay_state(example.model):
        origin = find_origin(run, example.model)

    assert origin is None


@pytest.mark.parametrize("defer", [False, True])
def test_evaluation_and_generation_are_silent_and_not_counted(defer, build_example):
    example = build_example("gpt2")
    model = example.model.eval()
    with DebugUnderflowOverflow(model, defer=defer) as debugger, torch.no_grad():
        example.run()
        model.generate(example.batch["input_ids"], max_new_tokens=2, pad_token_id=0)

    assert debugger.report is None
    assert debugger.batch_number is None
