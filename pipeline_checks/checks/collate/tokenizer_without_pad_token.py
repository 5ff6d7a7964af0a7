"""TD203: padding is asked of a tokenizer that has no pad token."""

from collections.abc import Iterator

from ...facts import BatchFacts, LoaderFacts, SampleFacts
from ...facts.batches import BatchFact
from ...report import Problem, Severity
from ..collate_words import first_failed
from ..registry import check
from ..wording import batch


@check("TD203", Severity.ERROR)
def tokenizer_without_pad_token(
    batches: BatchFacts, loader: LoaderFacts, samples: SampleFacts | None
) -> Iterator[Problem]:
    """The tokenizer has no pad token, and the batch must be padded.

    Why it matters: GPT-2, LLaMA and their kin were trained without padding; the first padded batch
    raises.

    How to fix it: `tokenizer.pad_token = tokenizer.eos_token` (then mind that the end token is not
    masked in the labels), or add a token of its own with `add_special_tokens({"pad_token": ...})`
    and resize the embeddings. Set `model.config.pad_token_id` too.
    """
    failed = first_failed(batches)
    if failed is None or not loader.tokenizer or loader.pad_token is not None:
        return
    if not loader.needs_padding and not _raised_in_padding(failed):
        return
    yield Problem(
        f"the tokenizer ({loader.tokenizer}) has no pad token (pad_token is None), but "
        f"{loader.collate} must pad{_lengths(failed, samples)}.",
        where=f"{batch(failed.number, failed.indices)}",
        hint="tokenizer.pad_token = tokenizer.eos_token, and model.config.pad_token_id = "
        "tokenizer.pad_token_id; or add_special_tokens({'pad_token': '[PAD]'}).",
        location=loader.collate_location,
        values={"tokenizer": loader.tokenizer, "batch": failed.number},
        stack=failed.error.user_frames if failed.error else (),
    )


def _raised_in_padding(failed: BatchFact) -> bool:
    """Whether the tokenizer raised while it looked at how to pad."""
    frames = failed.error.frames if failed.error else ()
    last = frames[-1] if frames else None
    return last is not None and "tokenization" in last.file and "pad" in (last.function or "")


def _lengths(failed: BatchFact, samples: SampleFacts | None) -> str:
    field = next((f for f in failed.fields if f.name == "input_ids"), None)
    known = samples.field("input_ids") if samples else None
    sizes = [shape[0] for shape in field.shapes if shape] if field else []
    sizes += [shape.shape[0] for shape in known.shapes if shape.shape] if known else []
    if not sizes or min(sizes) == max(sizes):
        return ""
    return f" sequences of {min(sizes)} to {max(sizes)} tokens"
