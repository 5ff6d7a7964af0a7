"""TD402: a tensor that backward needs was changed in place."""

from collections.abc import Iterator

from ...facts import GraphFacts, TrainingFacts
from ...facts.training import InplaceFact
from ...report import Location, Problem, Severity, Stage
from ..failures import first_failure, is_graph_freed
from ..registry import check
from ..source_rewrite import without_inplace
from ..wording import batch, shape_text


@check("TD402", Severity.ERROR)
def changed_in_place(training: TrainingFacts, graph: GraphFacts) -> Iterator[Problem]:
    """A tensor that backward needs unchanged was changed in place.

    Why it matters: many operators keep their input or output for their gradient. An in-place change
    (`+=`, `add_`, `x[i] = ...`, `inplace=True`) overwrites it, and backward refuses.

    How to fix it: write the change so that it makes a new tensor: `x = x + y` in place of `x += y`.
    An optimizer step between two backwards through one graph is such a change too: take both
    backwards first.
    """
    failure = first_failure(training, Stage.BACKWARD)
    if failure is None or not graph.inplace or not failure.error.is_a("RuntimeError"):
        return
    if is_graph_freed(failure.error):
        return  # the changes seen are harmless: see TD403
    found = graph.inplace[0]
    yield Problem(
        f"{_maker(found)} keeps a tensor {shape_text(found.shape)} for its backward, and "
        f"{_change(found)} changes it in place{_by(found)}.",
        where=_where(found) + batch(failure.batch, failure.indices),
        hint=_hint(found),
        location=found.changed_at or failure.error.location,
        values={
            "saved_by": found.saved_by,
            "changed_by": found.changed_by,
            "saved_module": found.saved_module,
            "changed_module": found.changed_module,
        },
    )


EMBEDDINGS = ("embedding", "embedding_bag")
OPERATORS = {"iadd": "+=", "isub": "-=", "imul": "*=", "itruediv": "/=", "setitem": "[...] ="}


def _maker(found: InplaceFact) -> str:
    name = found.saved_by.strip("_") or "an operator"
    return f"{name} in {found.saved_module!r}" if found.saved_module else name


def _change(found: InplaceFact) -> str:
    """The in-place operation as the user writes it."""
    if found.changed_by in EMBEDDINGS:
        return f"{found.changed_module or found.changed_by} (an embedding with max_norm)"
    return OPERATORS.get(found.changed_by.strip("_"), f"{found.changed_by}()")


def _by(found: InplaceFact) -> str:
    place, code = found.changed_at, found.changed_at.code if found.changed_at else None
    function = f" in {place.function}" if place is not None and place.function else ""
    return f"{function}: {code}" if code else function


def _where(found: InplaceFact) -> str:
    parts = [("kept at", found.saved_at), ("changed at", found.changed_at)]
    shown = [f"{word} {_line(place)}" for word, place in parts if place is not None]
    return ", ".join(shown) + (", " if shown else "")


def _line(place: Location) -> str:
    return f"{place} ({place.code})" if place.code else str(place)


def _hint(found: InplaceFact) -> str:
    code = found.changed_at.code if found.changed_at is not None else None
    if found.changed_by in EMBEDDINGS:
        return (
            "with max_norm every lookup scales down rows of the weight in place: elsewhere use a "
            "clone (emb.weight.clone()), look up before the weight is used, or leave out max_norm."
        )
    if ".step(" in (code or ""):
        return (
            "an optimizer step changes the weights that a later backward still needs: run both "
            "backwards before the steps, or run the forward again after the step (in a GAN the "
            "discriminator sees D(fake.detach()), and D(fake) anew for the generator)."
        )
    rewritten = without_inplace(code)
    if rewritten is not None:
        return f"make a new tensor instead of changing it in place: {rewritten}"
    if found.changed_by.strip("_") == "setitem":
        return "assign into a copy (x = x.clone() first), or use torch.where."
    if "inplace" in (code or "") or found.changed_by.strip("_") in {"relu", "dropout", "elu"}:
        return "use inplace=False for that layer."
    return "make a new tensor instead (x = x + y, x.add(y)), or change a clone()."
