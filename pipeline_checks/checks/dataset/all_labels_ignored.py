"""TD115: labels that all are -100."""

from collections.abc import Iterator

from ...facts import BatchFacts, LoaderFacts, SampleFacts
from ...facts.batches import LabelFact
from ...report import Location, Problem, Severity
from ..label_shares import are_inputs
from ..registry import check
from ..wording import batch, count, count_of, name_list


@check("TD115", Severity.ERROR)
def all_labels_ignored(
    batches: BatchFacts, samples: SampleFacts | None, loader: LoaderFacts | None
) -> Iterator[Problem]:
    """Every label of a batch is -100, which the loss leaves out. A warning for single samples.

    Why it matters: the mean over no label is nan (or the loss is 0), from the first step.

    How to fix it: look at what masks the labels. A collator that trains on answers only ignores all
    when it does not find its marker: a marker with a space or newline before it has other token
    ids. Truncation can cut the answer off. Labels padded with -100 must not be all padding.
    """
    known = [one for one in batches.labels if one.num_labels]
    empty = [one for one in known if one.num_ignored == one.num_labels]
    place = _place(samples, loader)
    if empty:
        is_sure = len(empty) == len(known) or are_inputs(batches)
        yield _in_batches(known, empty, loader, place, None if is_sure else Severity.WARNING)
    elif are_inputs(batches):
        rows = [index for one in known for index in one.rows_ignored]
        if rows:
            yield _in_rows(rows, place)


def _place(samples: SampleFacts | None, loader: LoaderFacts | None) -> Location | None:
    in_collate = loader.collate_location if loader else None
    return in_collate or (samples.location if samples else None)


def _in_batches(
    known: list[LabelFact],
    empty: list[LabelFact],
    loader: LoaderFacts | None,
    place: Location | None,
    severity: Severity | None,
) -> Problem:
    total = sum(one.num_labels for one in empty)
    collate = loader.collate if loader else "the collate function"
    maker = collate if loader and loader.collate_kind == "user" else "the dataset or the collator"
    return Problem(
        f"all {count(total, 'label')} of {count_of(len(empty), len(known), 'batch', 'batches')} "
        f"are -100: the loss ignores every one, 0 of {total} positions are trained on.",
        where=f"{name_list([batch(one.batch) for one in empty], 3)}: {empty[0].path}",
        hint=f"look at how {maker} masks the labels: a marker that is searched for in the token "
        "ids is not found when it tokenizes differently inside a text.",
        location=place,
        severity=severity,
        values={"batches": [one.batch for one in empty], "num_labels": total},
    )


def _in_rows(rows: list[int], place: Location | None) -> Problem:
    return Problem(
        f"{count(len(rows), 'sample')} of those looked at have only ignored labels (-100): nothing "
        "is learned from them.",
        where=f"samples {name_list(rows)}",
        hint="their answer may be cut off by truncation, or its marker not be found: raise "
        "max_length, or leave them out.",
        location=place,
        severity=Severity.WARNING,
        values={"indices": rows},
    )
