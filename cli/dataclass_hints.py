"""What a type hint of a dataclass field allows."""

import dataclasses
import types
from collections import abc
from collections.abc import Callable, Sequence
from enum import Enum
from typing import Any, Final, Literal, NewType, Union, get_args, get_origin

NoneType = type(None)
SEQUENCES: dict[Any, type] = {
    list: list,
    tuple: tuple,
    set: set,
    frozenset: frozenset,
    abc.Sequence: list,
    abc.MutableSequence: list,
    abc.Iterable: list,
    abc.Collection: list,
}
MAPPINGS = (dict, abc.Mapping, abc.MutableMapping)


class MisfitError(ValueError):
    """A value is not what the type hint of its field asks for."""

    def __init__(self, value: object, hint: object, reason: str = "", where: str = "") -> None:
        self.value, self.hint, self.reason, self.where = value, hint, reason, where
        place = f"{where}: " if where else ""
        because = f" ({reason})" if reason else ""
        super().__init__(f"{place}expected {describe(hint)}, got {value!r}{because}")

    def inside(self, place: str) -> "MisfitError":
        """The same misfit, seen from outside, where the value stands at `place` (`grid`, `[2]`)."""
        return MisfitError(self.value, self.hint, self.reason, place + self.where)


def members(hint: object) -> tuple[Any, ...]:
    """The types that a hint allows: those of a union, or the one that it is.

    `Enum | str` allows the values of the enum only. It is the field's way to write "this enum,
    given by value", and a misspelt choice has to be refused.
    """
    hint = _unwrap(hint)
    if get_origin(hint) not in (Union, types.UnionType):
        return (hint,)
    found = tuple(inner for member in get_args(hint) for inner in members(member))
    if any(is_enum(member) for member in found):
        return tuple(member for member in found if member is not str)
    return found


def _unwrap(hint: object) -> Any:
    if isinstance(hint, NewType):
        return _unwrap(hint.__supertype__)
    if get_origin(hint) is Final:
        return _unwrap(get_args(hint)[0])
    alias = getattr(hint, "__value__", None)  # made by the `type` statement
    return hint if alias is None else _unwrap(alias)


def is_enum(member: object) -> bool:
    """Whether a member is an enumeration."""
    return isinstance(member, type) and issubclass(member, Enum)


def is_sequence(member: object) -> bool:
    """Whether a member is a list, tuple or set, with or without the type of its elements."""
    return (get_origin(member) or member) in SEQUENCES


def is_mapping(member: object) -> bool:
    """Whether a member is a dict, with or without the types of its keys and values."""
    return (get_origin(member) or member) in MAPPINGS


def is_dataclass_type(member: object) -> bool:
    """Whether a member is a dataclass, and no instance of one."""
    return isinstance(member, type) and dataclasses.is_dataclass(member)


def choices_of(hint: object) -> tuple[Any, ...]:
    """The values of a Literal or an Enum, those of a union together; empty where any will do."""
    found: list[Any] = []
    for member in members(hint):
        if get_origin(member) is Literal:
            found += get_args(member)
        elif is_enum(member):
            found += [choice.value for choice in member]
        elif member is not NoneType:
            return ()
    return tuple(found)


def element_hints(member: object, length: int) -> list[Any]:
    """The hint of each of `length` elements of a sequence.

    Raises:
        ValueError: A tuple of fixed length has another one.
    """
    arguments = get_args(member)
    if not arguments:
        return [Any] * length
    if get_origin(member) is not tuple or arguments[-1] is Ellipsis:
        return [arguments[0]] * length
    if len(arguments) != length:
        raise ValueError(f"{len(arguments)} values are needed, {length} were given")
    return list(arguments)


def first_fitting(
    read: Callable[[Any, Any], Any], given: object, found: Sequence[Any], hint: object
) -> Any:
    """The first of `read(given, member)` that is no misfit.

    Raises:
        MisfitError: They all are; the reason is told where there was one member only.
    """
    problems = []
    for member in found:
        try:
            return read(given, member)
        except MisfitError as problem:  # noqa: PERF203 - every member is to be tried
            problems.append(problem)
    if len(problems) == 1:
        deeper, reason = problems[0].value is not given, problems[0].reason
        raise problems[0] if deeper else MisfitError(given, hint, reason, problems[0].where)
    raise MisfitError(given, hint)


def describe(hint: object) -> str:
    """Name a hint as its author wrote it: `int`, `list[int]`, `int or None`, `one of 'a', 'b'`."""
    choices = choices_of(hint)
    if choices:
        return "one of " + ", ".join(repr(choice) for choice in choices)
    found = members(hint)
    if len(found) > 1:
        return " or ".join(describe(member) for member in found)
    return _describe_one(*found)


def _describe_one(member: Any) -> str:
    if member is NoneType:
        return "None"
    if isinstance(member, type) and not get_args(member):
        return member.__qualname__
    return str(member).replace("typing.", "").replace("collections.abc.", "")
