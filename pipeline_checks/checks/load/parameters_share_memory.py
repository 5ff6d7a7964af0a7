"""TD007: two parameters in one place."""

from collections.abc import Iterator

from ...facts import ModelFacts
from ...report import Problem, Severity
from ..registry import check
from ..wording import name_list


@check("TD007", Severity.WARNING)
def parameters_share_memory(model: ModelFacts) -> Iterator[Problem]:
    """Two parameters lie in the same memory without being one parameter.

    Why it matters: they look tied, but the optimizer takes them for two: each step changes the same
    numbers twice, with two gradients, two momenta, and weight decay twice. `.to()`, `.half()` and
    loading a checkpoint part them without a word.

    How to fix it: tie the parameters themselves, `self.out.weight = self.emb.weight`, not their
    `.data`.
    """
    if not model.same_memory:
        return
    pairs = [f"{second} and {first}" for first, second in model.same_memory]
    first, second = model.same_memory[0]
    yield Problem(
        f"{name_list(pairs)} are separate parameters in the same memory: the optimizer changes the "
        "same numbers twice in each step, and .to() or a checkpoint parts them.",
        where=f"{second}, {first}",
        hint=f"tie the parameters, not their data: model.{second} = model.{first}, without .data.",
        location=model.location,
        values={"pairs": [list(pair) for pair in model.same_memory]},
    )
