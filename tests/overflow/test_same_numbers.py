"""The rows are those of transformers' class on the same model, weights and batch, row for row."""

import pytest
import torch
from transformers.debug_utils import DebugUnderflowOverflow as Original

from tdebug.overflow import DebugUnderflowOverflow

INDENT = " " * 17


def trace(debugger, example, capsys):
    """Trace one batch in train mode and give its frames as (title, lines)."""
    with_hooks = debugger(example.model, trace_batch_nums=[0])
    capsys.readouterr()
    torch.manual_seed(7)
    example.model.train()
    if "attention_mask" in example.batch:
        example.batch["attention_mask"].fill_(
            1
        )  # padding gives bool masks, which the original breaks on
    example.run()
    del with_hooks
    return read_frames(capsys.readouterr().out)


def read_frames(text):
    frames = []
    for line in text.splitlines():
        if line.startswith(INDENT + " ") and "***" not in line:
            frames.append((line, []))
        elif frames and line.strip() and "metadata" not in line and "***" not in line:
            frames[-1][1].append(line)
    return frames


@pytest.mark.parametrize("family", ["bert", "gpt2", "t5", "cnn"])
def test_every_row_of_the_original_is_there_with_the_same_numbers(family, build_example, capsys):
    theirs = trace(Original, build_example(family), capsys)

    ours = trace(DebugUnderflowOverflow, build_example(family), capsys)

    assert [title for title, _ in ours] == [title for title, _ in theirs]
    assert len(theirs) > 5
    for (title, their_lines), (_, our_lines) in zip(theirs, ours, strict=True):
        numbers = [line for line in their_lines if "not a tensor" not in line]
        assert [line for line in our_lines if line in numbers] == numbers, title


@pytest.mark.parametrize("family", ["bert", "gpt2", "t5", "cnn"])
def test_rows_beyond_the_original_are_of_the_kinds_that_it_cannot_see(
    family, build_example, capsys
):
    theirs = trace(Original, build_example(family), capsys)
    ours = trace(DebugUnderflowOverflow, build_example(family), capsys)

    extra = {
        line.split()[-1]
        for (_, their_lines), (_, our_lines) in zip(theirs, ours, strict=True)
        for line in our_lines
        if line not in their_lines
    }

    assert all(name.startswith(("input[", "output[", "running_")) for name in extra), extra


def test_a_padded_batch_that_the_original_breaks_on_is_traced(build_example, capsys):
    example = build_example("bert")
    with pytest.raises(NotImplementedError, match="Bool"):
        Original(example.model).model(**example.batch)
    example = build_example("bert")

    with DebugUnderflowOverflow(example.model, trace_batch_nums=[0]):
        example.run()

    assert "0.00e+00 1.00e+00 input[1]" in capsys.readouterr().out


def test_both_on_one_model_print_the_same_text_for_plain_modules(capsys):
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 2))
    Original(model, trace_batch_nums=[0])
    model(torch.ones(2, 3))
    theirs = capsys.readouterr().out
    for module in model.modules():
        module._forward_hooks.clear()

    with DebugUnderflowOverflow(model, trace_batch_nums=[0]):
        model(torch.ones(2, 3))

    assert capsys.readouterr().out == theirs


@pytest.mark.parametrize("value", [float("inf"), float("-inf"), float("nan")])
@pytest.mark.parametrize("place", [0, 1, 2])
def test_an_injected_value_is_found_in_the_same_frame(value, place, capsys):
    def build():
        torch.manual_seed(0)
        layers = [torch.nn.Linear(3, 3) for _ in range(4)]
        model = torch.nn.Sequential(*layers)

        def inject(module, args, output):
            return torch.cat([output[:, :-1], output[:, -1:] * 0 + 1 + value], 1)

        layers[place].register_forward_hook(inject)
        return model

    with pytest.raises(ValueError, match="inf/nan detected"):
        Original(build()).model(torch.ones(2, 3))
    theirs = capsys.readouterr().out
    with pytest.raises(ValueError, match="inf/nan detected"):
        DebugUnderflowOverflow(build()).model(torch.ones(2, 3))
    ours = capsys.readouterr().out

    assert "Detected inf/nan during batch_number=0" in ours
    assert read_frames(ours.split("Where it began")[0].partition("Detected")[2]) == read_frames(
        theirs.partition("Detected")[2]
    )
