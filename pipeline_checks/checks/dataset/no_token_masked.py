"""TD126: a masked language model that sees every token that it has to guess."""

from collections.abc import Iterator

from ...facts import BatchFacts, CallFacts, LoaderFacts, LoadFacts, ModelFacts, TrainerFacts
from ...report import Problem, Severity
from ..label_shares import is_loss_of_model, sum_labels
from ..registry import Undecided, check

FEWEST = 32


@check("TD126", Severity.ERROR)
def no_token_masked(  # noqa: PLR0913, PLR0917 - every fact that it asks for is an argument
    batches: BatchFacts,
    model: ModelFacts,
    load: LoadFacts | None,
    loader: LoaderFacts | None,
    calls: CallFacts | None,
    trainer: TrainerFacts | None,
) -> Iterator[Problem]:
    """The labels of a masked language model are its inputs, and no token was masked.

    Why it matters: a model that looks in both directions sees each token that it has to predict. It
    learns to copy its input: the loss falls to 0 and nothing is learned of the text.

    How to fix it: let `DataCollatorForLanguageModeling(tokenizer, mlm_probability=0.15)` mask the
    inputs and make the labels, -100 where nothing was masked.
    """
    is_known = model.is_transformers and not model.has_own_forward
    is_causal = bool(model.config.get("is_decoder"))
    if not is_known or is_causal or not model.type.endswith("ForMaskedLM"):
        return
    sums = sum_labels(batches.labels)
    if sums.num_compared < FEWEST or sums.num_same < sums.num_compared:
        return
    if load is None or load.has_own_loss:
        raise Undecided("code of the user's may mask the tokens before the model sees them")
    if not is_loss_of_model(calls, trainer, "which labels the loss counts"):
        return
    yield Problem(
        f"all {sums.num_compared} labels that were compared equal the input id at the same "
        f"position: no token is masked, and {model.type}, which sees them all, learns to copy.",
        where=f"{batches.labels[0].path} against the input_ids",
        hint="DataCollatorForLanguageModeling(tokenizer, mlm_probability=0.15) masks tokens and "
        "makes the labels; a model that predicts the next token is a ...ForCausalLM.",
        location=loader.collate_location if loader else None,
        values={"num_same": sums.num_same, "num_compared": sums.num_compared},
    )
