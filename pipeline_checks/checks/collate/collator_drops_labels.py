"""TD204: the labels get lost on the way into the batch."""

from collections.abc import Iterator

from ...facts import BatchFacts, LoaderFacts, SampleFacts, TrainingFacts
from ...report import Problem, Severity
from ..evidence import has_no_loss
from ..inputs import key_of
from ..labels import find_label_field, is_label_name
from ..registry import Undecided, check
from ..wording import batch, quoted_list


@check("TD204", Severity.ERROR)
def collator_drops_labels(
    samples: SampleFacts,
    batches: BatchFacts,
    loader: LoaderFacts | None,
    training: TrainingFacts | None,
) -> Iterator[Problem]:
    """The samples have labels, the batch has none, and no loss can be computed.

    Why it matters: a model of transformers then returns no loss, and the Trainer complains about
    the model's output keys.

    How to fix it: hand the labels on in the collate function: `batch["labels"] = ...`.
    """
    label, good = find_label_field(samples), batches.good
    if label is None or not good or not good[0].container.startswith("dict"):
        return
    if key_of(label.path) in samples.removed:
        return
    keys = list(dict.fromkeys(key_of(leaf.path) for leaf in good[0].leaves))
    if any(is_label_name(key) for key in keys):
        return
    if training is None:
        raise Undecided("whether the loss needs the labels shows only in the forward")
    if not has_no_loss(training):
        return
    name = loader.collate if loader else "the collate function"
    yield Problem(
        f"{name} drops the labels: the samples have {key_of(label.path)!r}, the batch holds only "
        f"{quoted_list(keys)}, and no loss comes of it.",
        where=batch(good[0].number, good[0].indices),
        hint=f'hand them on: batch["labels"] = torch.tensor([s[{key_of(label.path)!r}] '
        "for s in samples]).",
        location=loader.collate_location if loader else None,
        values={"label": label.path, "keys": keys},
    )
