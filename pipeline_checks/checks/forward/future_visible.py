"""TD320: a model that predicts the next token sees it."""

from collections.abc import Iterator

from ...facts import MixingFacts, ModelFacts, TrainerFacts
from ...report import Problem, Severity
from ..label_shares import require_known_labels
from ..registry import Undecided, check
from ..wording import number, shape_text


@check("TD320", Severity.WARNING)
def future_visible(
    mixing: MixingFacts, model: ModelFacts | None, trainer: TrainerFacts | None = None
) -> Iterator[Problem]:
    """The target is the next token, and the model's output at a token depends on later ones.

    Why it matters: the answer is part of the input. The loss falls towards 0 while the model learns
    to copy, and it generates nonsense.

    How to fix it: give the attention layers a causal mask (`is_causal=True`, or
    `nn.Transformer.generate_square_subsequent_mask(length)`), use no bidirectional RNN, and pad
    convolutions over time on the left only.
    """
    if mixing.not_asked_because:
        raise Undecided(mixing.not_asked_because)
    leak = mixing.future
    if leak is None:
        return
    require_known_labels(trainer)
    yield Problem(
        "the target is the next token, but the outputs before the last token change by up to "
        f"{number(leak.change)} (largest value {number(leak.size)}) when only the last token is "
        "another: the model looks into the future.",
        where=f"output{leak.output} {shape_text(leak.shape)}, batch 0, in eval mode",
        hint="the causal mask is missing or does not act: give attention a causal mask "
        "(is_causal=True or generate_square_subsequent_mask), use no bidirectional layer.",
        location=model.location if model is not None else None,
        values={"change": leak.change, "size": leak.size},
    )
