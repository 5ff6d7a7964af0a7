"""Follow one forward: which call takes values off the graph, and whether the loss hangs on them.

A result that requires no gradient though an argument does is a cut. What is computed from it is
marked with it, call by call, so that in the end it is known which cuts the loss hangs on. Numbers
that leave torch are known again by their values when a tensor is made of them.
"""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, Any

import torch
from torch.overrides import TorchFunctionMode

from ..nested import leaves
from .graph import leaf_tensors
from .inplace import is_inplace
from .left_numbers import MAX_NUMBERS, NO_CUTS, LeftNumbers
from .loss_signatures import SIGNATURES
from .transforms import is_transforming
from .user_code import is_own

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from torch.autograd.graph import Node

    from ..report import Location
    from .user_code import UserCode

EXITS = frozenset({"item", "tolist", "numpy", "__float__", "__int__", "__array__", "__index__"})
ARRAYS = frozenset({"tolist", "numpy", "__array__"})
RETURNS = frozenset({"tensor", "as_tensor", "from_numpy", "asarray", "new_tensor"})
# What they give has the form of their argument and none of its values.
FORMS = ("new_", "empty", "zeros", "ones", "full", "rand")
SIDES = ("the left side", "the right side")
# What is 0, or hands back gradients that cancel, where two of its arguments are the same.
COMPARING: dict[str, tuple[str, ...]] = {
    **SIGNATURES,
    "triplet_margin_loss": ("anchor", "positive", "negative"),
    "triplet_margin_with_distance_loss": ("anchor", "positive", "negative"),
    "pairwise_distance": ("x1", "x2"),
    **dict.fromkeys(("sub", "__sub__", "__rsub__", "subtract"), SIDES),
}
MAX_CUTS = 200
MAX_CUTS_OF_LINE = 20


@dataclass(frozen=True)
class Site:
    """A call of a torch function.

    Attributes:
        function: Its name.
        location: The user's line.
        numbers: The plain numbers that it was given.
        same: Of a difference or a loss, two arguments that hold the same values.
    """

    function: str
    location: Location | None
    numbers: tuple[float, ...] = ()
    same: tuple[str, ...] = ()


@dataclass
class SeenCut:
    """A call that took values off the graph.

    Attributes:
        site: The call.
        parameters: Those that the values hang on.
        is_off: Whether it ran under no_grad.
        back_at: The line where a tensor was made of the values, after they had left torch.
        has_left: Whether whole arrays of them left torch.
    """

    site: Site
    parameters: frozenset[str]
    is_off: bool
    back_at: Location | None = None
    has_left: bool = False

    @property
    def reason(self) -> str:
        """How: see `GradientEnd`."""
        if self.is_off:
            return "off"
        return "left" if self.site.function in EXITS else "cut"


@dataclass(eq=False)
class GraphTrace(TorchFunctionMode):
    """Sees every torch function of one forward.

    Attributes:
        code: Which code is the user's.
        names: Names of the model's parameters by id.
        cuts: The calls that took values off the graph, in order.
        given: Names of the parameters that some function was given.
        sites: Which call made a node of the graph.
    """

    code: UserCode
    names: Mapping[int, str]
    cuts: list[SeenCut] = field(default_factory=list)
    given: set[str] = field(default_factory=set)
    sites: dict[Node, Site] = field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__init__()
        self._marks: dict[int, frozenset[int]] = {}
        self._marked: list[torch.Tensor] = []  # kept, so that no other gets their ids
        self._left = LeftNumbers()
        self._lines: Counter[tuple[str, str]] = Counter()

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        """Call the function and follow what it gives."""
        is_ours = is_own(sys._getframe(1).f_code.co_filename)  # noqa: SLF001 - the only way to ask
        if is_ours or is_transforming():
            return func(*args, **(kwargs or {}))
        given = _tensors_in((args, kwargs or {}))
        for tensor in self._left.not_looked_at(given):
            self._mark([tensor], self._left.marks_of(tensor))
        needy = [tensor for tensor in given if tensor.requires_grad]
        result = func(*args, **(kwargs or {}))
        name = _name_of(func)
        self.given |= {self.names[id(t)] for t in given if id(t) in self.names}
        site = Site(
            name,
            self.code.caller(),
            _numbers_in((args, kwargs or {})),
            _same_arguments(name, args, kwargs or {}),
        )
        self._follow(site, given, needy, result)
        if is_inplace(name, kwargs or {}) and given:
            self._mark([given[0]], self.marks_of(given))
        return result

    def marks_of(self, tensors: Iterable[torch.Tensor]) -> frozenset[int]:
        """Numbers of the cuts that some tensors hang on."""
        return NO_CUTS.union(*(self._marks.get(id(tensor), NO_CUTS) for tensor in tensors))

    def _follow(
        self, site: Site, given: list[torch.Tensor], needy: list[torch.Tensor], result: Any
    ) -> None:
        marks = self.marks_of(given)
        made = _tensors_in(result)
        if site.function in EXITS:
            marks |= self._cut(site, needy)
            self._left.add(result, marks)
            for number in marks if site.function in ARRAYS else ():
                self.cuts[number].has_left = True
        if site.function in RETURNS:
            marks |= self._come_back(made, site)
        off = [tensor for tensor in made if not tensor.requires_grad and _has_values(site)]
        self._mark([tensor for tensor in made if tensor.requires_grad], marks)
        if off:
            self._mark(off, marks | self._cut(site, needy))
        for tensor in made:
            self._note_nodes(tensor, site, given)

    def _cut(self, site: Site, needy: list[torch.Tensor]) -> frozenset[int]:
        line = (site.function, str(site.location))
        self._lines[line] += 1
        if not needy or len(self.cuts) >= MAX_CUTS or self._lines[line] > MAX_CUTS_OF_LINE:
            return NO_CUTS
        held = [leaf for tensor in needy for leaf in [tensor, *leaf_tensors(tensor)]]
        names = frozenset(self.names[id(leaf)] for leaf in held if id(leaf) in self.names)
        self.cuts.append(SeenCut(site, names, not torch.is_grad_enabled()))
        return frozenset({len(self.cuts) - 1})

    def _come_back(self, made: list[torch.Tensor], site: Site) -> frozenset[int]:
        """The cuts whose numbers are in tensors that are made of numbers."""
        marks = self._left.marks_of(made[0]) if made else NO_CUTS
        for number in marks:
            self.cuts[number].back_at = self.cuts[number].back_at or site.location
        return marks

    def _mark(self, tensors: list[torch.Tensor], marks: frozenset[int]) -> None:
        for tensor in tensors if marks else ():
            self._marks[id(tensor)] = self._marks.get(id(tensor), NO_CUTS) | marks
            self._marked.append(tensor)

    def _note_nodes(self, made: torch.Tensor, site: Site, given: list[torch.Tensor]) -> None:
        """The nodes between what was given and what was made are those of this call."""
        before = {tensor.grad_fn for tensor in given}
        open_nodes = [made.grad_fn]
        while open_nodes:
            node = open_nodes.pop()
            if node is None or node in self.sites or node in before:
                continue
            self.sites[node] = site
            open_nodes += [following for following, _ in node.next_functions]


def _name_of(func: Callable[..., Any]) -> str:
    """The function's name; that of the attribute where one is read."""
    name = getattr(func, "__name__", "")
    return getattr(func.__self__, "__name__", name) if name == "__get__" else name  # type: ignore[attr-defined] # a descriptor's


def _has_values(site: Site) -> bool:
    is_form = site.function.startswith(FORMS) or site.function.endswith("_like")
    return not is_form and site.function != "grad"


def _tensors_in(value: Any) -> list[torch.Tensor]:
    return [leaf for _, leaf in leaves(value) if isinstance(leaf, torch.Tensor)]


def _numbers_in(value: Any) -> tuple[float, ...]:
    found = [leaf for _, leaf in leaves(value) if isinstance(leaf, (int, float))]
    return tuple(float(number) for number in found[:MAX_NUMBERS])


def _same_arguments(name: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> tuple[str, ...]:
    """Two arguments that both require a gradient and hold the same values."""
    if name not in COMPARING:
        return ()
    named = [*zip(COMPARING[name], args, strict=False), *kwargs.items()]
    tensors = [(n, t) for n, t in named if isinstance(t, torch.Tensor) and t.requires_grad]
    pairs = combinations(tensors, 2)
    equal = ((a, b) for (a, x), (b, y) in pairs if x.shape == y.shape and bool((x == y).all()))
    return next(equal, ())
