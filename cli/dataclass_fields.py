"""The fields of a dataclass that its caller can fill, with their type hints resolved."""

import dataclasses
import difflib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import MISSING, dataclass
from typing import Any, get_type_hints

from .dataclass_hints import NoneType, members


@dataclass(frozen=True)
class TypedField:
    """One field; `default` is MISSING where there is none or where a factory makes it."""

    name: str
    hint: Any
    default: Any
    factory: Any
    metadata: Mapping[str, Any]

    @property
    def is_required(self) -> bool:
        """Whether a value must be given."""
        return self.default is MISSING and self.factory is MISSING

    @property
    def is_flag(self) -> bool:
        """Whether the field is a bool, or a bool or None: `--name` alone then means True."""
        found = members(self.hint)
        return bool in found and set(found) <= {bool, NoneType, str}

    def make_default(self) -> Any:
        """The default value, made afresh where a factory makes it."""
        return self.default if self.factory is MISSING else self.factory()


def fields_of(kind: type) -> list[TypedField]:
    """The fields that `kind` takes when it is built, inherited ones first.

    A bool without a default is False when it is not given, a bool or None is None.

    Raises:
        TypeError: `kind` is no dataclass.
        RuntimeError: A hint names a type that is not found.
    """
    if not isinstance(kind, type) or not dataclasses.is_dataclass(kind):
        what = (
            f"an instance of {type(kind).__qualname__}" if dataclasses.is_dataclass(kind) else kind
        )
        raise TypeError(f"a dataclass is needed, got {what!s}")
    hints = _resolve_hints(kind)
    return [
        TypedField(
            field.name,
            hints[field.name],
            _default_of(field, hints[field.name]),
            field.default_factory,
            field.metadata,
        )
        for field in dataclasses.fields(kind)
        if field.init
    ]


def _default_of(field: "dataclasses.Field[Any]", hint: object) -> Any:
    found = set(members(hint))
    if field.default is field.default_factory is MISSING and bool in found <= {bool, NoneType}:
        return None if NoneType in found else False
    return field.default


def _resolve_hints(kind: type) -> dict[str, Any]:
    try:
        return get_type_hints(kind)
    except NameError as error:
        raise RuntimeError(
            f"the type hints of {kind.__qualname__} cannot be resolved: {error}. They are looked "
            f"up in the module {kind.__module__}, where a type local to a function is not found."
        ) from error


def suggest(name: str, known: Iterable[str]) -> str:
    """The name, followed by the nearest known one if there is one near."""
    near = difflib.get_close_matches(name, list(known), n=1)
    return f"{name!r} (did you mean {near[0]!r}?)" if near else repr(name)


def refuse_unknown(names: Collection[object], known: Collection[str]) -> None:
    """Raise for names that no field has.

    Raises:
        ValueError: Lists them in alphabetical order, each with the nearest field.
    """
    unknown = sorted(str(name) for name in names if name not in known)
    if unknown:
        listed = ", ".join(suggest(name, known) for name in unknown)
        raise ValueError(f"some keys are not used by the DataclassArgumentParser: {listed}")
