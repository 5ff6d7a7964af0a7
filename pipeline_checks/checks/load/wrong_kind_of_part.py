"""TD003: a factory gives something that cannot serve as the part."""

from collections.abc import Iterator

from ...facts import LoadFacts
from ...facts.load import PartFact
from ...report import Problem, Severity
from ..registry import check

NOT_CALLED = {"type", "function", "builtin_function_or_method", "method", "partial", "ABCMeta"}
WANTED = {
    "model": "return the torch.nn.Module itself",
    "dataset": "return an object with `__len__` and `__getitem__`, or an iterable",
    "eval_dataset": "return an object with `__len__` and `__getitem__`, or an iterable",
    "dataloader": "return a torch DataLoader, or another iterable of batches",
    "collate_fn": "return a function that takes a list of samples and gives a batch",
    "loss": "return something that is called `loss(output, target)`",
    "optimizer": "return a torch.optim.Optimizer, or a list of them",
    "scheduler": "return a scheduler with a `step` method",
    "trainer": "return a Hugging Face or a Lightning Trainer",
}


@check("TD003", Severity.ERROR)
def wrong_kind_of_part(load: LoadFacts) -> Iterator[Problem]:
    """A factory returns something that cannot serve as the part that it is for.

    Why it matters: a model that is no `nn.Module`, or a dataset without `__getitem__` or
    `__iter__`, fails much later and far from its cause.

    How to fix it: look at the return statement of the factory. Usual are a missing `return` (the
    value is then None), a class returned instead of an instance, or several things in a tuple.
    """
    for part in load.parts:
        if part.cycle:
            yield _contains_itself(part)
        elif part.problem and part.error is None:
            yield Problem(
                f"{part.origin or part.name} gives no {part.name}: {part.problem}",
                where=f"the {part.name.replace('_', ' ')}",
                hint=_hint(part),
                location=part.location,
                values={"part": part.name, "type": part.type},
            )


def _contains_itself(part: PartFact) -> Problem:
    return Problem(
        f"{part.origin or part.name} gives a model that contains itself, as {part.cycle}: torch "
        "goes round in it for ever, in train(), to(), apply() and state_dict().",
        where=part.cycle,
        hint="keep such a reference where torch does not register it, in a list: "
        "self.parent = [model].",
        location=part.location,
        values={"part": part.name, "type": part.type, "cycle": part.cycle},
    )


def _hint(part: PartFact) -> str:
    wanted = WANTED.get(part.name, f"return what can serve as the {part.name}")
    if part.type in {"NoneType", ""}:
        return f"the factory seems to lack a `return` statement: {wanted}."
    if part.type in NOT_CALLED:
        return f"it looks as if the call was forgotten (a class or function came back): {wanted}."
    if part.type in {"tuple", "list"}:
        return f"several things came back at once: {wanted}."
    return f"{wanted}."
