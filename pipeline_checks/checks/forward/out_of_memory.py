"""TD315: the memory does not suffice."""

from collections.abc import Iterator

from ...facts import LoaderFacts, TrainingFacts
from ...facts.exceptions import ExceptionFact
from ...report import Problem, Severity
from ..failures import inputs_text, module_name, place
from ..registry import check

# The CPU allocator raises a plain RuntimeError; only its own name tells.
ALLOCATORS = ("DefaultCPUAllocator", "CUDA out of memory", "MPS backend out of memory")


@check("TD315", Severity.ERROR)
def out_of_memory(training: TrainingFacts, loader: LoaderFacts | None) -> Iterator[Problem]:
    """A batch does not fit into memory.

    Why it matters: training stops at the first batch that is large enough, often the one with the
    longest sequences, late in the epoch.

    How to fix it: smaller batches with gradient accumulation, shorter sequences, gradient
    checkpointing, mixed precision. A growing use over batches means that something keeps graphs:
    sum up `loss.item()`, not `loss`.
    """
    failure = next((f for f in training.failures if is_memory(f.error)), None)
    if failure is None:
        return
    size = loader.batch_size if loader is not None else None
    smaller = f"lower the batch size (now {size})" if size and size > 1 else "shorten the inputs"
    is_late = failure.batch > 0 and len(failure.indices) == (size or 0)
    kept = "; batches before it fitted: look for losses or outputs that are kept."
    yield Problem(
        f"{module_name(failure)} ran out of memory in {failure.stage}: {failure.error}",
        where=f"{place(failure, training)}; {inputs_text(failure)}",
        hint=f"{smaller}, accumulate gradients, or checkpoint activations"
        + (kept if is_late else "."),
        location=failure.error.location,
        values={"batch": failure.batch, "batch_size": size},
        stack=failure.error.user_frames,
        stage=failure.stage,
    )


def is_memory(error: ExceptionFact) -> bool:
    """Whether the exception says that memory ran out."""
    if error.type.endswith("OutOfMemoryError") or error.is_a("MemoryError"):
        return True
    return error.is_a("RuntimeError") and any(name in error.text for name in ALLOCATORS)
