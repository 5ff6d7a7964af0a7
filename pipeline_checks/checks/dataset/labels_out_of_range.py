"""TD104: labels that are no class of the model."""

import dataclasses
from collections.abc import Iterator

from ...facts import (
    CallFacts,
    LoaderFacts,
    LoadFacts,
    ModelFacts,
    SampleFacts,
    TrainingFacts,
)
from ...facts.samples import FieldFact
from ...report import Problem, Severity
from ..class_range import (
    DEFAULT_IGNORE_INDEX,
    Outliers,
    find_outliers,
    has_one_field,
    hint_for,
    is_left_out,
    num_labels_hint,
    outliers_in_samples,
    outliers_of_call,
    place_of,
)
from ..evidence import keeps_values
from ..inputs import key_of
from ..labels import HUGGING_FACE_NAMES
from ..registry import Undecided, check
from ..wording import batch, count


@check("TD104", Severity.ERROR)
def labels_out_of_range(  # noqa: PLR0913, PLR0917 - each is a kind of fact
    samples: SampleFacts,
    model: ModelFacts,
    loader: LoaderFacts | None,
    calls: CallFacts | None,
    load: LoadFacts | None = None,
    training: TrainingFacts | None = None,
) -> Iterator[Problem]:
    """A label is below 0 or at or above the number of classes.

    Why it matters: on a GPU the loss dies with a device-side assert that names nothing; on the CPU
    at the first batch that holds such a label, maybe hours into the epoch.

    How to fix it: number the classes 0 to C - 1, or give the model as many outputs as there are
    classes. Labels that count for nothing need `ignore_index` (-100 by default).
    """
    has_own_loss = load is not None and load.has_own_loss
    known = None if has_own_loss else _known_before_forward(samples, model, loader)
    if known is not None and model.num_classes is not None:
        found = find_outliers(known, model.num_classes, DEFAULT_IGNORE_INDEX)
        if found is not None:
            problem = _problem(found, model.num_classes_from, samples)
            yield dataclasses.replace(problem, hint=problem.hint + num_labels_hint(found))
        return
    if calls is None:
        raise Undecided("how many classes there are shows only when the loss is called")
    for call in calls.losses:
        if call.num_classes is None or call.target.is_floating:
            continue
        is_kept = keeps_values(loader) and has_one_field(call, calls)
        found = outliers_in_samples(call, samples) if is_kept else None
        if found is not None and is_left_out(found, calls, training):
            found = None
        found = found or outliers_of_call(call)
        if found is not None:
            yield _problem(found, f"{call.name}, {batch(call.batch)}", samples)
            return


def _known_before_forward(
    samples: SampleFacts, model: ModelFacts, loader: LoaderFacts | None
) -> FieldFact | None:
    """The labels of a transformers classifier, where no code of the user's changes them."""
    if model.num_classes is None or not keeps_values(loader):
        return None
    named = [f for f in samples.fields if key_of(f.path) in HUGGING_FACE_NAMES and f.is_whole]
    return named[0] if len(named) == 1 and named[0].name not in samples.removed else None


def _problem(found: Outliers, source: str, samples: SampleFacts) -> Problem:
    most = found.num_classes - 1
    span = f"reach {found.high}" if found.low is None else f"run from {found.low} to {found.high}"
    return Problem(
        f"labels {span}, but there are {count(found.num_classes, 'output')} ({source}): valid "
        f"labels are 0 to {most}.",
        where=place_of(found, samples),
        hint=hint_for(found),
        location=samples.location,
        values=dataclasses.asdict(found),
    )
