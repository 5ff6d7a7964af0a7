"""The options that argparse gets for the fields of a dataclass."""

import argparse
import re
from collections.abc import Collection, Sequence
from typing import Any, get_args

from .dataclass_fields import TypedField
from .dataclass_hints import choices_of, is_sequence, members
from .dataclass_text import read_tokens, takes_many

_PERCENT = re.compile(
    r"%%|%\((?:default|type|choices|dest|prog|const|nargs|metavar|required)\)[sdr]|%"
)
_PLAIN = re.compile(r"[\w.+-]+")


class StoreField(argparse.Action):
    """Stores what was typed after an option, read as the field's type hint says."""

    def __init__(self, option_strings: Sequence[str], dest: str, **options: Any) -> None:
        self.hint = options.pop("hint")
        self.allowed = options.pop("allowed")
        super().__init__(option_strings, dest, **options)

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        """Read `values`: a text, a list of texts, or True for a flag alone."""
        del parser, option_string
        if values is not True:
            values = self._read([values] if isinstance(values, str) else values)
        setattr(namespace, self.dest, values)

    def _read(self, tokens: list[str]) -> Any:
        try:
            value = read_tokens(tokens, self.hint)
        except ValueError as error:
            raise argparse.ArgumentError(self, str(error)) from error
        for given in value if isinstance(value, list) else [value]:
            if self.allowed is not None and given not in self.allowed:
                raise argparse.ArgumentError(self, f"{given!r} is none of {list(self.allowed)}")
        return value


def add_field_options(
    target: "argparse._ActionsContainer",
    field: TypedField,
    taken: Collection[str],
    *,
    is_override: bool = False,
) -> None:
    """Add the option of a field, and `--no_...` beside a flag that is True by default.

    Args:
        target: The parser, or one of its groups.
        field: Its metadata may hold `help`, `aliases` (a text or a list), `choices` and `metavar`.
        taken: The names of all fields; no `--no_...` is added that one of them is called.
        is_override: The option is not required and leaves no trace where it is not given.
    """
    help_text = _escape_percent(field.metadata.get("help"))
    aliases = field.metadata.get("aliases", [])
    names = [*_spellings(field.name), *([aliases] if isinstance(aliases, str) else aliases)]
    has_no_default = field.is_required or is_override
    target.add_argument(
        *names,
        action=StoreField,
        dest=field.name,
        required=field.is_required and not is_override,
        default=argparse.SUPPRESS if has_no_default else field.make_default(),
        help=help_text,
        hint=field.hint,
        allowed=field.metadata.get("choices"),
        **_shape_of(field),
    )
    opposite = f"no_{field.name}"
    if field.is_flag and field.make_default() is True and opposite not in taken:
        target.add_argument(
            *_spellings(opposite),
            action="store_false",
            dest=field.name,
            default=argparse.SUPPRESS,
            help=help_text and f"the opposite of --{field.name}",
        )


def _shape_of(field: TypedField) -> dict[str, Any]:
    shape: dict[str, Any] = {"metavar": field.metadata.get("metavar", _metavar_of(field))}
    if takes_many(field.hint):
        shape["nargs"] = "+"
    elif field.is_flag:
        shape |= {"nargs": "?", "const": True}
    return shape


def _metavar_of(field: TypedField) -> str | None:
    inner = [get_args(member)[:1] for member in members(field.hint) if is_sequence(member)]
    hint = inner[0][0] if inner and inner[0] else field.hint
    choices = [str(choice) for choice in field.metadata.get("choices") or choices_of(hint)]
    # argparse cannot wrap a usage line with brackets or blanks in it (bugs.python.org/issue11874)
    is_plain = choices and all(_PLAIN.fullmatch(choice) for choice in choices)
    return "{" + ",".join(choices) + "}" if is_plain else None


def _spellings(name: str) -> list[str]:
    return list(dict.fromkeys([f"--{name}", f"--{name.replace('_', '-')}"]))


def _escape_percent(text: str | None) -> str | None:
    """Double each `%` that argparse could not format: "10% of it" would break `--help`."""
    if text is None:
        return None
    return _PERCENT.sub(lambda found: "%%" if found[0] == "%" else found[0], text)
