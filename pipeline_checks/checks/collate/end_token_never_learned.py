"""TD212: the end token is never a label."""

from collections.abc import Iterator

from ...facts import BatchFacts, LoaderFacts, ModelFacts, SampleFacts
from ...report import Problem, Severity
from ..label_shares import are_inputs, shifts_itself, sum_labels
from ..registry import Undecided, check
from ..wording import count


@check("TD212", Severity.WARNING)
def end_token_never_learned(
    batches: BatchFacts, loader: LoaderFacts, model: ModelFacts, samples: SampleFacts | None
) -> Iterator[Problem]:
    """The pad token is the end token, and every real end token is masked in the labels.

    Why it matters: the collator sets the label of every pad id to -100, and the end of each text
    has that id too. The model never learns to stop; generation runs to its limit.

    How to fix it: give the tokenizer a pad token of its own
    (`add_special_tokens({"pad_token": "<pad>"})`, then resize the embeddings), or mask the labels
    by the attention mask instead of by the id.
    """
    if not shifts_itself(model) or not are_inputs(batches):
        return
    known = [one for one in batches.labels if one.eos]
    if not known:
        raise Undecided("no tokenizer is known, and the model's config names no end token")
    sums = sum_labels(known)
    shared = next((one.pad for one in known if one.pad in one.eos), None)
    if shared is None or not sums.num_eos or sums.num_eos_ignored < sums.num_eos:
        return
    yield Problem(
        f"pad and eos are one token (id {shared}), and the label of all "
        f"{count(sums.num_eos, 'real eos token')} is -100: the model never learns to end a text.",
        where=f"{batches.labels[0].path}, {count(len(batches.labels), 'batch', 'batches')} made by "
        f"{loader.collate}",
        hint="add a pad token of its own (tokenizer.add_special_tokens({'pad_token': '<pad>'}) and "
        "resize_token_embeddings), or mask labels where attention_mask is 0, not by the pad id.",
        location=loader.collate_location or (samples.location if samples else None),
        values={"num_eos": sums.num_eos, "pad_token_id": shared},
    )
