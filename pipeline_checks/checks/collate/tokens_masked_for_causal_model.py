"""TD215: the collator of masked language models before a model that predicts the next token."""

from collections.abc import Iterator

from ...facts import CallFacts, LoaderFacts, LoadFacts, ModelFacts, TrainerFacts
from ...report import Problem, Severity
from ..label_shares import is_loss_of_model, shifts_itself
from ..registry import check


@check("TD215", Severity.ERROR)
def tokens_masked_for_causal_model(
    loader: LoaderFacts,
    model: ModelFacts,
    load: LoadFacts | None,
    calls: CallFacts | None,
    trainer: TrainerFacts | None,
) -> Iterator[Problem]:
    """The collator masks tokens (`mlm=True`), and the model is one that predicts the next token.

    Why it matters: labels are made for the masked places alone, and a causal model shifts them by
    one: it is trained on few tokens, to guess what it was not asked for, from a text with holes.

    How to fix it: `DataCollatorForLanguageModeling(tokenizer, mlm=False)`, or a masked language
    model (`AutoModelForMaskedLM`).
    """
    if not loader.masks_tokens or not shifts_itself(model):
        return
    if load is None or load.has_own_loss:
        return
    if not is_loss_of_model(calls, trainer, "whether the model shifts the labels"):
        return
    yield Problem(
        f"{loader.collate} masks tokens (mlm=True), but {model.type} predicts the next token and "
        "shifts the labels by one: the label of a masked token is asked for one place before it.",
        where=f"the train loader ({loader.collate})",
        hint=f"{loader.collate}(tokenizer, mlm=False), or a model for masked tokens "
        "(AutoModelForMaskedLM).",
    )
