"""TD316: a classifier that looks for the last token does not know the padding."""

from collections.abc import Iterator

from ...facts import LoaderFacts, ModelFacts, TrainingFacts
from ...report import Problem, Severity, Stage
from ..failures import first_failure, place
from ..registry import check


@check("TD316", Severity.ERROR)
def model_without_pad_token_id(
    model: ModelFacts, training: TrainingFacts, loader: LoaderFacts | None
) -> Iterator[Problem]:
    """The model's config has no pad_token_id, and the model needs it for batches.

    Why it matters: a classifier on a decoder (GPT-2, LLaMA and their kin) reads its answer at the
    last token that is no padding. Without the id it refuses batches of more than one.

    How to fix it: `model.config.pad_token_id = tokenizer.pad_token_id`, after the tokenizer got a
    pad token of its own.
    """
    failure = first_failure(training, Stage.FORWARD)
    needs_last_token = model.is_transformers and model.type.endswith("ForSequenceClassification")
    if failure is None or not needs_last_token or not failure.error.is_a("ValueError"):
        return
    frames = failure.error.frames
    in_library = bool(frames) and "transformers" in frames[-1].file
    if model.config.get("pad_token_id") is not None or failure.function or not in_library:
        return
    size = len(failure.indices) or (loader.batch_size if loader else None) or 0
    if size == 1:
        return
    known = loader.pad_token_id if loader is not None else None
    given = f"{known}, the tokenizer's" if known is not None else "tokenizer.pad_token_id"
    yield Problem(
        f"model.config.pad_token_id is None (not set), but {model.type} must find the last token "
        f"of each of {size or 'several'} samples in a batch.",
        where=place(failure, training),
        hint=f"set model.config.pad_token_id = {given}"
        + ("." if known is not None else "; give the tokenizer a pad token first if it has none."),
        location=failure.error.location,
        values={"batch_size": size, "pad_token_id": None},
    )
