"""Plain data, as read from JSON or YAML, fitted to the type hints of a dataclass."""

from collections.abc import Mapping
from enum import Enum
from typing import Any, get_args, get_origin

from .dataclass_fields import TypedField, fields_of, refuse_unknown
from .dataclass_hints import (
    SEQUENCES,
    MisfitError,
    NoneType,
    choices_of,
    element_hints,
    first_fitting,
    is_dataclass_type,
    is_mapping,
    is_sequence,
    members,
)
from .dataclass_scalars import read_scalar


def fill_dataclass(kind: type, values: Mapping[Any, Any]) -> Any:
    """Build a dataclass from a mapping of the names of its fields to plain values.

    Raises:
        ValueError: Keys are no fields, required fields are missing, or values do not fit. All that
            are missing or do not fit are named at once.
    """
    fields = fields_of(kind)
    refuse_unknown(values, [field.name for field in fields])
    problems: list[str] = []
    fitted: dict[str, Any] = {}
    for field in fields:
        try:
            fitted[field.name] = _value_of(field, values)
        except ValueError as problem:  # noqa: PERF203 - all are to be told
            problems.append(str(problem))
    if problems:
        raise ValueError(f"{kind.__qualname__}: " + "; ".join(problems))
    return kind(**fitted)


def _value_of(field: TypedField, values: Mapping[Any, Any]) -> Any:
    if field.name in values:
        value = values[field.name]
        if value is None and field.default is None:  # `epochs: int = None`, as many write it
            return None
        return _fit_inside(value, field.hint, field.name)
    if field.is_required:
        raise ValueError(f"{field.name} is required")
    return field.make_default()


def fit_value(value: Any, hint: object) -> Any:
    """Give `value` the type that `hint` asks for, or refuse it.

    What fits is passed on. An int becomes a float, a list a tuple and a mapping a dataclass where
    the hint says so, and text is read where no text is wanted (`"1e-5"` for a float, as YAML 1.1
    has it).

    Raises:
        MisfitError: No type of the hint can hold the value.
    """
    found = members(hint)
    if (value is None and NoneType in found) or (isinstance(value, str) and str in found):
        return value
    return first_fitting(_fit, value, found, hint)


def _fit(value: Any, member: Any) -> Any:
    if choices_of(member):
        return _fit_choice(value, member)
    if is_sequence(member):
        return _fit_sequence(value, member)
    if is_mapping(member):
        return _fit_mapping(value, member)
    if is_dataclass_type(member) and isinstance(value, Mapping):
        return _fit_dataclass(value, member)
    return _fit_instance(value, member)


def _fit_instance(value: Any, member: Any) -> Any:
    kind = get_origin(member) or member
    if kind is Any or not isinstance(kind, type) or getattr(kind, "_is_protocol", False):
        return value  # nothing to compare with, nor for a type variable
    if kind is float and type(value) is int:
        return float(value)
    if isinstance(value, kind) and not (kind is int and isinstance(value, bool)):
        return value
    if isinstance(value, str):
        return read_scalar(value, member)
    raise MisfitError(value, member)


def _fit_choice(value: Any, member: Any) -> Any:
    if isinstance(value, Enum) and isinstance(member, type) and isinstance(value, member):
        return value
    for choice in choices_of(member):
        if type(choice) is type(value) and choice == value:
            return choice
    if isinstance(value, str):
        return read_scalar(value, member)
    raise MisfitError(value, member)


def _fit_sequence(value: Any, member: Any) -> Any:
    if not isinstance(value, (list, tuple, set, frozenset)):
        raise MisfitError(value, member)
    try:
        hints = element_hints(member, len(value))
    except ValueError as error:
        raise MisfitError(value, member, str(error)) from error
    fitted = [
        _fit_inside(element, hint, f"[{index}]")
        for index, (element, hint) in enumerate(zip(value, hints, strict=True))
    ]
    return SEQUENCES[get_origin(member) or member](fitted)


def _fit_mapping(value: Any, member: Any) -> Any:
    if not isinstance(value, Mapping):
        raise MisfitError(value, member)
    key_hint, value_hint = get_args(member) or (Any, Any)
    return {
        fit_value(key, key_hint): _fit_inside(inner, value_hint, f"[{key!r}]")
        for key, inner in value.items()
    }


def _fit_dataclass(value: Mapping[Any, Any], member: type) -> Any:
    try:
        return fill_dataclass(member, value)
    except ValueError as error:
        raise MisfitError(value, member, str(error)) from error


def _fit_inside(value: Any, hint: object, place: str) -> Any:
    try:
        return fit_value(value, hint)
    except MisfitError as problem:
        raise problem.inside(place) from problem.__cause__
