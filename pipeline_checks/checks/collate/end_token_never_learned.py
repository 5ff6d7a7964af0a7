"""TD212: the end token is never a label."""

from collections.abc import Iterator

from ...facts import BatchFacts, LoaderFacts, ModelFacts
from ...report import Problem, Severity
from ..label_shares import are_inputs, shifts_itself, sum_labels
from ..registry import check
from ..wording import count


@check("TD212", Severity.WARNING)
def end_token_never_learned(
    batches: BatchFacts, loader: LoaderFacts, model: ModelFacts
) -> Iterator[Problem]:
    """The pad token is the end token, and every real end token is masked in the labels.

    Why it matters: the collator sets the label of every pad id to -100, and the end of each text
    has that id too. The model never learns to stop; generation runs to its limit.

    How to fix it: give the tokenizer a pad token of its own
    (`add_special_tokens({"pad_token": "<pad>"})`, then resize the embeddings), or mask the labels
    by the attention mask instead of by the id.
    """
    sums = sum_labels(batches.labels)
    if loader.pad_token_id is None or loader.pad_token_id != loader.eos_token_id:
        return
    if not sums.num_eos or sums.num_eos_ignored < sums.num_eos:
        return
    if not shifts_itself(model) or not are_inputs(batches):
        return
    yield Problem(
        f"pad and eos are one token (id {loader.pad_token_id}), and the label of all "
        f"{count(sums.num_eos, 'real eos token')} is -100: the model never learns to end a text.",
        where=f"{batches.labels[0].path}, {count(len(batches.labels), 'batch', 'batches')} made by "
        f"{loader.collate}",
        hint="add a pad token of its own (tokenizer.add_special_tokens({'pad_token': '<pad>'}) and "
        "resize_token_embeddings), or mask labels where attention_mask is 0, not by the pad id.",
        location=loader.collate_location,
        values={"num_eos": sums.num_eos, "pad_token_id": loader.pad_token_id},
    )
