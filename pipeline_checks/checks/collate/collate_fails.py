"""TD208: the collate function raises."""

from collections.abc import Iterator

from ...facts import BatchFacts, ExceptionFact, LoaderFacts
from ...facts.batches import BatchFact
from ...report import Problem, Severity
from ..collate_words import collator_text, first_failed
from ..registry import check
from ..wording import batch, count, count_of


@check("TD208", Severity.ERROR, is_fallback=True)
def collate_fails(batches: BatchFacts, loader: LoaderFacts | None) -> Iterator[Problem]:
    """Putting samples together into a batch raises.

    Why it matters: no batch, no training. In a loader worker the message loses its samples.

    How to fix it: call the collate function by hand on the samples named here, for example
    `collate_fn([dataset[i] for i in (8, 9, 10, 11)])`.
    """
    failed = first_failed(batches)
    if failed is None or failed.error is None:
        return
    error = failed.error
    if not failed.was_drawn:
        yield _not_drawn(error, loader)
        return
    total, number = len(batches.batches), len(batches.failed)
    name = collator_text(loader) if loader else "the collate function"
    yield Problem(
        f"{name} raised {error} ({count_of(number, total, 'batch', 'batches')}).",
        where=batch(failed.number, failed.indices),
        hint=_hint(failed, batches),
        location=error.location,
        values={"batch": failed.number, "indices": list(failed.indices), "type": error.type},
        stack=error.user_frames,
    )


def _not_drawn(error: ExceptionFact, loader: LoaderFacts | None) -> Problem:
    """The sampler raises: no batch of this pass is known before."""
    sampler = f"the sampler ({loader.sampler})" if loader and loader.sampler else "the sampler"
    message = f"{sampler} raised {error} while it chose the samples of the batches."
    hint = "go through it by hand, without the dataset: list(loader.batch_sampler)."
    if "'int' object is not iterable" in error.text and not error.user_frames:
        message = f"{sampler} gives single indices, but as batch_sampler it has to give lists."
        hint = (
            "pass it as sampler=..., with a batch_size; or wrap it: "
            "batch_sampler=BatchSampler(sampler, batch_size, drop_last=False)."
        )
    return Problem(
        message,
        where=f"{loader.type if loader else 'the loader'}.batch_sampler",
        hint=hint,
        location=error.location,
        values={"type": error.type},
        stack=error.user_frames,
    )


def _hint(failed: BatchFact, batches: BatchFacts) -> str:
    if len(failed.indices) <= 1 and failed.size is None:
        return "go through the loader by hand up to that batch."
    if len(failed.indices) <= 1:
        return f"look at the {count(failed.size or 1, 'sample')} of that batch."
    indices = ", ".join(map(str, failed.indices))
    hint = f"call it by hand on these samples: collate_fn([dataset[i] for i in ({indices})])."
    others = max((one.size or 0 for one in batches.good), default=0)
    is_only = failed.is_last and len(batches.failed) == 1
    if is_only and failed.size is not None and failed.size < others:
        return (
            f"it is the last batch, which has {failed.size} samples instead of {others}: pass "
            f"drop_last=True to the DataLoader if the function cannot take so many; else {hint}"
        )
    return hint
