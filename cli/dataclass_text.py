"""What was typed after an option, read as the type hint of its field says."""

from typing import Any, get_args, get_origin

from .dataclass_fields import fields_of, refuse_unknown
from .dataclass_hints import (
    SEQUENCES,
    MisfitError,
    NoneType,
    element_hints,
    first_fitting,
    is_dataclass_type,
    is_mapping,
    is_sequence,
    members,
)
from .dataclass_plain import fill_dataclass, fit_value
from .dataclass_scalars import read_scalar
from .dataclass_yaml import parse_scalar, parse_yaml


def takes_many(hint: object) -> bool:
    """Whether one or more values follow an option of this hint: `--sizes 1 2`, `--map a=1 b=2`."""
    found = members(hint)
    return any(is_sequence(member) for member in found) or all(
        _is_keyed(member) or member is NoneType for member in found
    )


def read_tokens(tokens: list[str], hint: object) -> Any:
    """Read the values of one option, at least one.

    One value alone is first read as the whole, so that `--sizes "[]"` and `--scale none` can be
    said; not so for a list of text, where every value is a text.

    Raises:
        MisfitError: They do not say such a value.
    """
    found = members(hint)
    if len(tokens) == 1 and not any(_is_text_list(member) for member in found if str not in found):
        try:
            return read_token(tokens[0], hint)
        except MisfitError:
            if not takes_many(hint):
                raise
    return first_fitting(_read_many, tokens, [m for m in found if m is not NoneType], hint)


def read_token(text: str, hint: object) -> Any:
    """Read one piece of text; a list, a dict or a dataclass is written as JSON (or flow YAML).

    In a union `str` comes last, whatever its place.

    Raises:
        MisfitError: It does not say such a value.
    """
    found = [member for member in members(hint) if member is not NoneType]
    if len(found) < len(members(hint)) and str not in found and text.lower() in ("none", "null"):
        return None
    return first_fitting(_read_one, text, sorted(found, key=lambda m: m is str), hint)


def _read_one(text: str, member: Any) -> Any:
    if member is Any and not text.lstrip().startswith(("[", "{")):
        return parse_scalar(text)
    if member is Any or is_sequence(member) or _is_keyed(member):
        return fit_value(_read_structure(text, member), member)
    return read_scalar(text, member)


def _read_structure(text: str, member: Any) -> Any:
    opening = "{" if _is_keyed(member) else "["
    if member is not Any and not text.lstrip().startswith(opening):
        raise MisfitError(text, member)
    try:
        return parse_yaml(text)
    except ValueError as error:
        raise MisfitError(text, member, str(error)) from error


def _is_keyed(member: Any) -> bool:
    return is_mapping(member) or is_dataclass_type(member)


def _is_text_list(member: Any) -> bool:
    return is_sequence(member) and any(str in members(inner) for inner in get_args(member))


def _read_many(tokens: list[str], member: Any) -> Any:
    try:
        if is_sequence(member):
            return _read_sequence(tokens, member)
        if _is_keyed(member):
            return _read_keyed(tokens, member)
    except MisfitError:
        raise
    except ValueError as error:
        raise MisfitError(tokens, member, str(error)) from error
    raise MisfitError(tokens, member)


def _read_sequence(tokens: list[str], member: Any) -> Any:
    hints = element_hints(member, len(tokens))
    values = [read_token(text, hint) for text, hint in zip(tokens, hints, strict=True)]
    return SEQUENCES[get_origin(member) or member](values)


def _read_keyed(tokens: list[str], member: Any) -> Any:
    pairs = dict(_split_pair(token) for token in tokens)
    if is_dataclass_type(member):
        hints = {field.name: field.hint for field in fields_of(member)}
        refuse_unknown(pairs, hints)
        return fill_dataclass(member, {key: read_token(pairs[key], hints[key]) for key in pairs})
    key_hint, value_hint = get_args(member) or (Any, Any)
    return {read_token(key, key_hint): read_token(text, value_hint) for key, text in pairs.items()}


def _split_pair(token: str) -> tuple[str, str]:
    key, equals, text = token.partition("=")
    if not equals:
        raise ValueError(f"{token!r} is no key=value")
    return key, text
