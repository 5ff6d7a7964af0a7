"""TD211: the loader's workers cannot be started."""

from collections.abc import Iterator

from ...facts import LoaderFacts, LoaderWorkerFacts
from ...facts.loader_workers import Unpicklable
from ...report import Problem, Severity
from ..registry import check


@check("TD211", Severity.ERROR)
def workers_cannot_start(
    workers: LoaderWorkerFacts, loader: LoaderFacts | None
) -> Iterator[Problem]:
    """The loader's worker processes cannot be started, or die at once.

    Why it matters: with the spawn start method (the default of macOS and Windows) everything that a
    worker needs is pickled; lambdas, local functions, open files and locks cannot be.

    How to fix it: make the function a module-level one, open files lazily in `__getitem__`, or set
    `num_workers=0`.
    """
    if workers.start_method != "fork":
        for part in workers.unpicklable:
            yield _unpicklable(part, workers, loader)
        if workers.unpicklable:
            return
    error = workers.error
    if error is not None:
        yield Problem(
            f"iterating with {workers.num_workers} loader workers raised {error}; in one process "
            "the same batches can be made.",
            where=f"num_workers={workers.num_workers} ({workers.start_method})",
            hint="try num_workers=0; look for files, connections or devices that are opened before "
            "the workers start.",
            location=error.location,
            values={"type": error.type, "text": error.text},
            stack=error.user_frames,
        )


def _unpicklable(
    part: Unpicklable, workers: LoaderWorkerFacts, loader: LoaderFacts | None
) -> Problem:
    path = f"{part.part}{part.path}"
    place = loader.collate_location if loader and part.part == "collate_fn" else None
    return Problem(
        f"{path} is {part.what} and cannot be pickled: the {workers.start_method} start method "
        "must send it to the loader's workers.",
        where=f"{path}, num_workers={workers.num_workers} ({workers.start_method})",
        hint=_hint(part),
        location=place or next(reversed(part.error.user_frames), None),
        values={"part": part.part, "path": part.path, "what": part.what, "error": part.error.text},
    )


def _hint(part: Unpicklable) -> str:
    if "lambda" in part.what or "inside a function" in part.what:
        return "make it a function at the top level of a module (or set num_workers=0)."
    if any(word in part.what for word in ("file", "IOWrapper", "Buffered")):
        return "open it lazily in __getitem__, once in each worker (or set num_workers=0)."
    return "make it when it is first used in a worker, not in __init__ (or set num_workers=0)."
