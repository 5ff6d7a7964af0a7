"""Find the in-place change that broke backward, by running the forward once more.

Every tensor that autograd keeps is noted with the function that kept it, and every function that
changes a tensor in place; a change that comes after the keeping, on the same storage, is the one.
Counting calls says so for every version of torch; the error's wording need not be read.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from torch.overrides import TorchFunctionMode

from ..facts.training import InplaceFact

if TYPE_CHECKING:
    from collections.abc import Callable

    from typing_extensions import Self

    from ..report import Location
    from .modules import ModuleWatch

MAX_FOUND = 5
# With max_norm they scale down the rows of their weight that are longer, in place.
RENORMING = {"embedding", "embedding_bag"}
NOT_IN_PLACE = {"__init__", "__get__", "__set__", "requires_grad_", "retain_grad", "__setstate__"}


@dataclass
class _Event:
    moment: int
    storage: int
    function: str
    module: str
    location: Location | None
    shape: tuple[int, ...]


class InplaceWatch(TorchFunctionMode):
    """Notes what is kept for backward and what is changed in place, in the order of the calls."""

    def __init__(self, modules: ModuleWatch) -> None:
        super().__init__()
        self._modules = modules
        self._moment = 0
        self._function = ""
        self._kept: list[_Event] = []
        self._changed: list[_Event] = []
        self._hooks = torch.autograd.graph.saved_tensors_hooks(self._keep, lambda kept: kept)

    def __enter__(self) -> Self:
        self._hooks.__enter__()
        super().__enter__()  # type: ignore[no-untyped-call] # torch leaves it untyped
        return self

    def __exit__(self, *args: object) -> None:
        super().__exit__(*args)  # type: ignore[no-untyped-call] # torch leaves it untyped
        self._hooks.__exit__(*args)

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        """Note the call, then do it."""
        self._moment += 1
        before, self._function = self._function, getattr(func, "__name__", "")
        changed = _changed_argument(self._function, args, kwargs or {})
        if isinstance(changed, torch.Tensor):
            self._changed.append(self._event(changed))
        try:
            return func(*args, **(kwargs or {}))
        finally:
            self._function = before

    def _event(self, tensor: torch.Tensor) -> _Event:
        name, _ = self._modules.innermost
        place = self._modules.code.caller()
        pointer = tensor.untyped_storage().data_ptr()
        return _Event(self._moment, pointer, self._function, name or "", place, tuple(tensor.shape))

    def _keep(self, tensor: torch.Tensor) -> torch.Tensor:
        if tensor.layout is torch.strided:
            self._kept.append(self._event(tensor))
        return tensor

    def found(self) -> tuple[InplaceFact, ...]:
        """The changes that came after the tensor was kept, the first first."""
        facts: dict[tuple[Any, ...], InplaceFact] = {}
        for change in self._changed:
            for kept in self._kept:
                if kept.storage == change.storage and kept.moment < change.moment:
                    fact = InplaceFact(
                        kept.function,
                        change.function,
                        kept.shape,
                        kept.module,
                        change.module,
                        kept.location,
                        change.location,
                    )
                    facts.setdefault((fact.saved_by, fact.changed_by, str(fact.changed_at)), fact)
        return tuple(facts.values())[:MAX_FOUND]


def _changed_argument(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The argument that a function changes in place, None if it changes none."""
    if name in RENORMING and kwargs.get("max_norm") is not None:
        return args[1] if len(args) > 1 else kwargs.get("weight")
    return args[0] if args and is_inplace(name, kwargs) else None


def is_inplace(name: str, kwargs: dict[str, Any]) -> bool:
    """Whether a function of this name changes its first argument.

    >>> is_inplace("add_", {}), is_inplace("__iadd__", {}), is_inplace("add", {})
    (True, True, False)
    """
    if name in NOT_IN_PLACE:
        return False
    if name.startswith("__"):
        return (
            name.startswith("__i")
            and name.endswith("__")
            and name not in {"__int__", "__index__", "__iter__", "__invert__"}
        ) or name == "__setitem__"
    return name.endswith("_") or bool(kwargs.get("inplace"))
