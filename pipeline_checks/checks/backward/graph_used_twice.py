"""TD403: backward goes through a graph that was freed."""

from collections.abc import Iterator

from ...facts import GraphFacts, TrainingFacts
from ...facts.training import CarriedGraph, FailureFact
from ...report import Location, Problem, Severity, Stage
from ..failures import first_failure, is_graph_freed
from ..inputs import key_of
from ..registry import check
from ..wording import batch, name_list, shape_text


@check("TD403", Severity.ERROR)
def graph_used_twice(training: TrainingFacts, graph: GraphFacts) -> Iterator[Problem]:
    """Backward reaches a graph that an earlier backward has used up.

    Why it matters: the graph of a batch is freed by its backward. A tensor kept from the batch
    before (a recurrent state, a memory, a sum of losses) leads the next backward into it; so does a
    second backward over the same forward.

    How to fix it: detach what is kept from batch to batch: `self.state = state.detach()`. For two
    losses over one forward add them and go back once, or detach what they share.
    `retain_graph=True` is rarely right: it makes the graph grow with every batch.
    """
    failure = first_failure(training, Stage.BACKWARD)
    if failure is None or not failure.error.is_a("RuntimeError"):
        return
    is_freed = is_graph_freed(failure.error)
    if graph.inplace and not is_freed:
        return
    is_later = failure.batch != min(training.batches, default=0)
    carried = tuple(one for one in graph.carried if not one.is_older)
    if carried and is_later:
        yield _of_carried(carried, failure)
    elif graph.carried and is_later:
        if not any(leaf.is_computed_from for leaf in graph.unregistered):
            yield _of_older(graph.carried, failure)
    elif is_freed:
        yield _of_second_backward(failure)


def _of_carried(carried: tuple[CarriedGraph, ...], failure: FailureFact) -> Problem:
    kept = carried[0]
    shapes = [f"{one.path} {shape_text(one.shape)}" for one in carried]
    is_state = kept.path.startswith("state[")
    own = key_of(kept.path[5:]) if is_state else kept.path.split(".")[-1].split("[")[0]
    name = f"state[{own!r}]" if is_state else f"self.{own}"
    keeper = "train_step" if is_state else "the model"
    return Problem(
        f"{keeper} keeps {name_list(shapes)} with its graph from one batch to the next; the "
        f"backward of batch {failure.batch} runs into the graph of the batch before, which is "
        "freed.",
        where=f"{kept.path}, {batch(failure.batch, failure.indices)}",
        hint=f"detach it where it is kept: {name} = {own}.detach() (each tensor of a tuple); "
        "retain_graph=True would only let the graph grow.",
        location=_location(failure),
        values={"kept": [one.path for one in carried], "batch": failure.batch},
    )


def _of_older(carried: tuple[CarriedGraph, ...], failure: FailureFact) -> Problem:
    """What the constructor computed has one graph, which the first backward frees."""
    first = carried[0]
    shapes = [f"{one.path} {shape_text(one.shape)}" for one in carried]
    return Problem(
        f"the model keeps {name_list(shapes)} with its graph: computed once, in the constructor. "
        f"The first backward freed that graph, and the one of batch {failure.batch} runs into it.",
        where=f"{first.path}, {batch(failure.batch, failure.indices)}",
        hint="keep the nn.Parameter itself in the constructor (nn.Parameter(torch.randn(...) * 0.1)"
        ", not nn.Parameter(...) * 0.1), and compute with it in forward.",
        location=_location(failure),
        values={"kept": [one.path for one in carried], "batch": failure.batch},
    )


def _of_second_backward(failure: FailureFact) -> Problem:
    first = failure.batch == 0
    return Problem(
        "backward() goes a second time through a graph that an earlier backward() has freed"
        f"{'' if first else '; something of an earlier batch is used again'}.",
        where=batch(failure.batch, failure.indices),
        hint="add the losses and call backward() once, or detach what both share (a GAN's fake "
        "images for the discriminator: D(fake.detach()))."
        if first
        else "detach what is kept from one batch to the next; sum up loss.item(), not loss.",
        location=_location(failure),
        values={"batch": failure.batch},
        stack=failure.error.user_frames,
    )


def _location(failure: FailureFact) -> Location | None:
    frames = failure.error.user_frames
    return frames[-1] if frames else None
