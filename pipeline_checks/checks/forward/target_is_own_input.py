"""TD326: a model of the next token whose target is not shifted."""

from collections.abc import Iterator

from ...facts import MixingFacts, ModelFacts, TrainerFacts
from ...report import Problem, Severity
from ..label_shares import require_known_labels
from ..registry import Undecided, check
from ..wording import shape_text


@check("TD326", Severity.WARNING)
def target_is_own_input(
    mixing: MixingFacts, model: ModelFacts | None, trainer: TrainerFacts | None
) -> Iterator[Problem]:
    """A causal model is to predict, at each token, the very token that it is given there.

    Why it matters: the answer is the input. The loss falls to 0 while the model learns to copy one
    token, and it generates nonsense.

    How to fix it: give the decoder the target without its last token, and compare its output with
    the target without its first: `logits = model(tgt[:, :-1])`, `cross_entropy(..., tgt[:, 1:])`.
    """
    if mixing.not_asked_because:
        raise Undecided(mixing.not_asked_because)
    found = mixing.copied
    if found is None:
        return
    require_known_labels(trainer)
    yield Problem(
        f"all {found.num_tokens} target tokens equal the token that the model is given at the same "
        "position, and it looks back only: the target is not shifted, so it learns to copy.",
        where=f"output{found.output} {shape_text(found.shape)}, batch 0, in eval mode",
        hint="shift by one: logits = model(..., tgt[:, :-1]), and tgt[:, 1:] in the loss (with a "
        "start token in front).",
        location=model.location if model is not None else None,
        values={"num_tokens": found.num_tokens},
    )
