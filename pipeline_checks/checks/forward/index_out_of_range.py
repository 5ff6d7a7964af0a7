"""TD301: an index that the table, the tensor or the loss does not have."""

from collections.abc import Iterator

from ...facts import CallFacts, TrainingFacts
from ...facts.calls import BadEntry, EmbeddingCall, LossCall
from ...facts.training import FailureFact
from ...report import Problem, Severity, Stage
from ..class_range import hint_for, outliers_of_call
from ..failures import first_failure, module_name, place, plain_function, tensor_name
from ..index_rules import BadIndex, find_bad_index
from ..registry import check
from ..table_rows import rows_hint
from ..wording import batch, count, number, shape_text

LOOK = (
    "an index must stay below the size that it picks from: look at what makes the indices "
    "(lengths, positions, padding)."
)


@check("TD301", Severity.ERROR)
def index_out_of_range(training: TrainingFacts, calls: CallFacts | None) -> Iterator[Problem]:
    """A token id, a label or an index is one that the table, loss or tensor does not have.

    Why it matters: on a GPU this is a device-side assert that names neither the layer nor the
    value, and leaves the process unusable; on the CPU it stops the batch that holds it.

    How to fix it: ids must run from 0 to rows - 1. Give the embedding or the model's output as many
    rows as there are ids, or map the ids; for positions, cut the sequences to what the model takes.
    """
    failure = first_failure(training, Stage.FORWARD)
    if failure is None:
        return
    for loss in calls.losses if calls else ():
        if loss.batch == failure.batch and loss.value is None and loss.bad_target is not None:
            yield _of_loss(loss, loss.bad_target, training)
            return
    for table in calls.embeddings if calls else ():
        if table.batch == failure.batch:
            yield _of_embedding(table, training)
            return
    yield from _of_tensor(failure, training)


def _of_loss(call: LossCall, bad: BadEntry, training: TrainingFacts) -> Problem:
    found, high = outliers_of_call(call), call.target_max
    hint = hint_for(found) if found is not None else ""
    if call.in_model and high is not None and bad.value >= 0:
        hint += f" For a transformers model: num_labels={int(high) + 1}."
    return Problem(
        f"{call.name} gets labels {number(call.target_min)} to {number(high)} against "
        f"{count(call.num_classes or 0, 'output')}: {count(bad.num_rows, 'sample')} of this batch "
        f"with a label that is no class, the first is {number(bad.value)}.",
        where=_row_text(call.batch, bad, training),
        hint=hint,
        location=call.location,
        values={"min": call.target_min, "max": high, "outputs": call.num_classes},
    )


def _of_embedding(call: EmbeddingCall, training: TrainingFacts) -> Problem:
    return Problem(
        f"embedding {call.module!r} has {call.rows} rows (0 to {call.rows - 1}) but is asked for "
        f"row {number(call.bad.value)}; the ids run from {call.min} to {call.max}, "
        f"{count(call.bad.num_bad, 'entry is', 'entries are')} outside.",
        where=_row_text(call.batch, call.bad, training, call.input.field or ""),
        hint=rows_hint(call),
        location=call.location,
        values={"rows": call.rows, "min": call.min, "max": call.max, "module": call.module},
    )


def _of_tensor(failure: FailureFact, training: TrainingFacts) -> Iterator[Problem]:
    found = find_bad_index(failure)
    if found is None:
        return
    if plain_function(failure) == "one_hot":
        yield _of_one_hot(failure, found, training)
        return
    yield Problem(
        f"{plain_function(failure)} in {module_name(failure)} asks for index "
        f"{number(found.value)} where there are {found.size}, in a tensor "
        f"{shape_text(found.given.shape)}; {tensor_name(found.index, 'the indices')} run from "
        f"{number(found.index.min)} to {number(found.index.max)}.",
        where=place(failure, training),
        hint=LOOK,
        location=failure.error.location,
        values={"index": found.value, "size": found.size, "shape": list(found.given.shape)},
        stack=failure.error.user_frames,
    )


def _of_one_hot(failure: FailureFact, found: BadIndex, training: TrainingFacts) -> Problem:
    name = tensor_name(found.index, "the class ids")
    return Problem(
        f"one_hot gets num_classes={found.size}, valid ids are 0 to {found.size - 1}, but {name} "
        f"runs from {number(found.index.min)} to {number(found.index.max)}.",
        where=place(failure, training),
        hint="map what marks no class (-1, 255) first."
        if found.value < 0
        else "give it "
        f"num_classes={int(found.value) + 1}, or map the class ids to 0 to {found.size - 1}.",
        location=failure.error.location,
        values={"index": found.value, "size": found.size},
        stack=failure.error.user_frames,
    )


def _row_text(number_: int, bad: BadEntry, training: TrainingFacts, path: str = "") -> str:
    where = batch(number_, training.indices_of(number_))
    if bad.index is not None:
        return f"dataset[{bad.index}]{path} ({where})"
    return where if bad.row is None else f"row {bad.row} of {where}"
