"""TD110: labels of a kind that the loss cannot use."""

from collections.abc import Iterator

from ...facts import (
    BatchFacts,
    CallFacts,
    LoaderFacts,
    ModelFacts,
    SampleFacts,
    TrainingFacts,
)
from ...report import Problem, Severity
from ..collate_words import first_failed, is_to_blame
from ..evidence import has_broken, keeps_values
from ..label_kinds import Misfit, of_config, of_loss, text_labels
from ..registry import Undecided, check
from ..wording import sample


@check("TD110", Severity.ERROR)
def label_kind_does_not_fit(  # noqa: PLR0913, PLR0917 - one fact for each way to know it
    samples: SampleFacts,
    model: ModelFacts,
    loader: LoaderFacts | None,
    batches: BatchFacts | None,
    calls: CallFacts | None,
    training: TrainingFacts | None,
) -> Iterator[Problem]:
    """The labels are text, or floats for a classifier, or integers where the loss needs floats.

    Why it matters: class names cannot become a tensor. Other misfits change the task without a
    word: transformers takes one label (`num_labels=1`) for regression, and float labels for
    multi-label classification.

    How to fix it: classes are integers 0 to C - 1 (int64) for cross entropy, and floats 0.0 or 1.0
    of the outputs' shape for binary cross entropy. Map names to ids (`label2id`) in the dataset.
    """
    text = text_labels(samples)
    if text is not None:
        if training is None and not has_broken(batches, training):
            raise Undecided("whether your code maps the class names shows only in a batch")
        if _are_to_blame(text.path, loader, batches, training):
            yield _problem(text, samples)
            return
    found = of_config(samples, model) if keeps_values(loader) else None
    found = found or of_loss(calls, training)
    if found is not None:
        yield _problem(found, samples)


def _are_to_blame(
    path: str,
    loader: LoaderFacts | None,
    batches: BatchFacts | None,
    training: TrainingFacts | None,
) -> bool:
    """Whether what broke can be the text: the user's own code may have mapped it before."""
    failed = first_failed(batches) if batches else None
    if loader is None or keeps_values(loader):
        return has_broken(batches, training)
    if failed is not None:
        field = next((field for field in failed.fields if field.path == path), None)
        return field is not None and is_to_blame(field, failed, loader)
    leaves = batches.good[0].leaves if batches and batches.good else ()
    is_still_text = any(leaf.path.startswith(path) and "str" in leaf.type for leaf in leaves)
    return is_still_text and has_broken(batches, training)


def _problem(found: Misfit, samples: SampleFacts) -> Problem:
    place = sample(found.index, found.path) if found.index is not None else f"batch{found.path}"
    return Problem(
        found.message,
        where=f"{place} = {found.example}" if found.example else place,
        hint=found.hint,
        location=found.location or samples.location,
        severity=found.severity,
        values={"field": found.path, "index": found.index},
    )
