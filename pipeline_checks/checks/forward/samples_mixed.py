"""TD319: a sample's output depends on the other samples of its batch, or its place in it."""

from collections.abc import Iterator

from ...facts import MixingFacts, ModelFacts
from ...facts.mixing import Leak
from ...report import Problem, Severity
from ..registry import Undecided, check
from ..wording import number, shape_text


@check("TD319", Severity.WARNING)
def samples_mixed(mixing: MixingFacts, model: ModelFacts | None) -> Iterator[Problem]:
    """A sample's output changes with the other samples of its batch, or with its place in it.

    Why it matters: features of one sample leak into another's. The model learns from what it will
    not have when it is used, and its output depends on the order of the data. It was asked in eval
    mode, where batch norm does not mix.

    How to fix it: look for `view` or `reshape` where `permute` or `transpose` is meant, for a
    softmax, mean or norm over dimension 0, and for recurrent or attention layers that are given
    [batch, time, features] without `batch_first=True`; for a place, for a positional encoding
    `pe[:x.size(0)]` that was written for time first.
    """
    if mixing.not_asked_because:
        raise Undecided(mixing.not_asked_because)
    leak = mixing.samples or mixing.place
    if leak is None:
        return
    if model is not None and model.unregistered:
        raise Undecided(
            "modules in a plain list stay in train mode, where batch norm mixes samples"
        )
    if mixing.samples is None:
        yield _of_place(leak, mixing, model)
        return
    recurrent = [layer for layer in model.layers if layer.type in RECURRENT] if model else []
    yield Problem(
        f"the output of a sample changes by up to {number(leak.change)} (its largest value is "
        f"{number(leak.size)}) when only the other {mixing.num_rows - 1} samples of its batch are "
        "replaced: the model mixes samples, features leak from one to another.",
        where=f"output{leak.output} {shape_text(leak.shape)}, batch 0, in eval mode",
        hint="look for view() where permute() is meant, for a softmax, mean or norm over dim=0"
        + (
            f", and whether {recurrent[0].type} {recurrent[0].name!r} needs batch_first=True."
            if recurrent
            else ", and for attention or recurrent layers without batch_first=True."
        ),
        location=model.location if model is not None else None,
        values={"change": leak.change, "size": leak.size, "num_rows": mixing.num_rows},
    )


RECURRENT = frozenset({"LSTM", "GRU", "RNN"})


def _of_place(leak: Leak, mixing: MixingFacts, model: ModelFacts | None) -> Problem:
    return Problem(
        f"the output of a sample changes by up to {number(leak.change)} (its largest value is "
        f"{number(leak.size)}) when the {mixing.num_rows} samples of the batch only change places: "
        "the model takes a sample's place in the batch for part of its input.",
        where=f"output{leak.output} {shape_text(leak.shape)}, batch 0, in eval mode",
        hint="look for x.size(0), len(x) or a range over dimension 0 where the length is meant: a "
        "positional encoding pe[:x.size(0)] is for time first; for [batch, time, features] it is "
        "pe[:x.size(1)] with the batch as a dimension of 1 in front.",
        location=model.location if model is not None else None,
        values={"change": leak.change, "size": leak.size, "num_rows": mixing.num_rows},
    )
