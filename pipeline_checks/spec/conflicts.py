"""Keys that do not go together, and keys that are not enough."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .mistakes import Mistake

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .document import Document

ONE_SOURCE_OF_BATCHES = "Give a dataloader, or dataset, collate_fn and loader to make one from."
ONE_LOSS = "Give train_step, compute_loss or loss."
# A key, those that it leaves no use for, and what to do.
EXCLUSIVE = (
    ("dataloader", ("dataset", "collate_fn", "loader"), ONE_SOURCE_OF_BATCHES),
    ("train_step", ("compute_loss", "loss"), ONE_LOSS),
    ("compute_loss", ("loss",), ONE_LOSS),
)


def list_conflicts(document: Document) -> Iterator[Mistake]:
    """The mistakes that only several keys together make, whatever their values."""
    for key, useless, remedy in EXCLUSIVE:
        others = [name for name in useless if name in document.data]
        if key in document.data and others:
            message = f"{key} leaves no use for {' and '.join(others)}."
            yield Mistake(document.file, document.lines.find((key,)), message, remedy)
    if "with" in document.data and "arguments" not in document.data:
        message = "with has values for the dataclasses that arguments names, and it names none."
        yield Mistake(document.file, document.lines.find(("with",)), message)


def list_lacks(document: Document) -> Iterator[Mistake]:
    """What is missing for anything to be checked."""
    if document.data.get("pipeline") is not None:
        return
    lacks = [] if "model" in document.data else ["model"]
    if not {"dataset", "dataloader"} & document.data.keys():
        lacks.append("dataset")
    if lacks:
        message = f"the spec names no pipeline and no {' and no '.join(lacks)}."
        remedy = "Give pipeline, or model and dataset."
        yield Mistake(document.file, document.lines.find(()), message, remedy)
