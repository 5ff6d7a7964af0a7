"""Command-line options, and plain data, made into the dataclasses that describe them."""

import argparse
import json
import os
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING
from pathlib import Path
from typing import Any, NoReturn

from .dataclass_args_file import insert_args_files, script_args_file
from .dataclass_fields import TypedField, fields_of, refuse_unknown, suggest
from .dataclass_options import add_field_options
from .dataclass_plain import fill_dataclass
from .dataclass_yaml import parse_yaml

# argparse takes -1 and -1.5 for values, but -1e-5 for an option (python/cpython#105712)
_NEGATIVE_NUMBER = re.compile(r"-(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?$|-inf$")


class DataclassArgumentParser(argparse.ArgumentParser):
    """An `argparse.ArgumentParser` whose options come from the type hints of dataclasses.

    A field `batch_size: int = 8` becomes `--batch_size` and `--batch-size`. A field without a
    default is required. A bool needs no value (`--fp16`), takes one (`--fp16 no`), and has
    `--no_fp16` where its default is True. Lists take several values (`--sizes 1 2`), dicts pairs
    (`--kwargs a=1 b=2`), and whatever is nested is written as JSON (`--grid "[1, 2]" "[3]"`,
    `--kwargs '{"a": [1]}'`). `none` is None where the hint allows that and no text. A Literal or
    Enum is given by its value, and it is the value that the field receives.

    `field(metadata={"help": ..., "aliases": ["-b"], "choices": [...], "metavar": ...})` is passed
    on. A dataclass with `_argument_group_name` gets a group of that name in `--help`. A field that
    two dataclasses share is one option and fills both. Plain arguments can be added as with any
    `ArgumentParser`; they come back as a namespace after the dataclasses.

    Args:
        dataclass_types: One dataclass or several.
        options: Passed on to `argparse.ArgumentParser`. Defaults are shown in `--help`, and options
            cannot be abbreviated, unless `formatter_class` or `allow_abbrev` says otherwise.

    Raises:
        TypeError: What was given is no dataclass.
        RuntimeError: A type hint names a type that is not found.
        ValueError: Two dataclasses have a field of one name that differs in type or default.

    Example:
        >>> from dataclasses import dataclass
        >>> @dataclass
        ... class Training:
        ...     rate: float
        ...     steps: int = 10
        >>> DataclassArgumentParser(Training).parse_args_into_dataclasses(["--rate", "1e-4"])
        (Training(rate=0.0001, steps=10),)
    """

    def __init__(
        self, dataclass_types: type | Iterable[type] | None = None, **options: Any
    ) -> None:
        options.setdefault("formatter_class", argparse.ArgumentDefaultsHelpFormatter)
        options.setdefault("allow_abbrev", False)
        super().__init__(**options)
        self._negative_number_matcher = _NEGATIVE_NUMBER
        self.dataclass_types = _as_list(dataclass_types)
        self._fields_of = {kind: fields_of(kind) for kind in self.dataclass_types}
        self._groups: dict[str, argparse._ArgumentGroup] = {}
        self._owners: dict[str, tuple[type, TypedField]] = {}
        self._made: dict[str, Any] = {}
        for kind, fields in self._fields_of.items():
            for field in fields:
                self._add_field(kind, field)

    def parse_args_into_dataclasses(
        self,
        args: Sequence[str] | None = None,
        *,
        return_remaining_strings: bool = False,
        look_for_args_file: bool = True,
        args_filename: str | os.PathLike[str] | None = None,
        args_file_flag: str | None = None,
    ) -> tuple[Any, ...]:
        """Fill the dataclasses from the command line.

        Later arguments win: those of files come first, `args_file_flag`'s after the default file.

        Args:
            args: The arguments; those of the process when None.
            return_remaining_strings: Give what no option takes back, instead of refusing it.
            look_for_args_file: Read `<script>.args` beside the running script, if there is one.
            args_filename: Read this file instead; it must exist.
            args_file_flag: An option, as `--args-file`, whose value names a file to read.

        Returns:
            The dataclasses in the order in which they were given; then, if plain arguments were
            added, a namespace of these; then, if asked for, the list of remaining arguments.

        Raises:
            ValueError: Arguments that no option takes, or a file that cannot be split into
                arguments.
            FileNotFoundError: A file that was named does not exist.
        """
        texts = list(sys.argv[1:] if args is None else args)
        default_file = Path(args_filename) if args_filename else None
        if default_file is None and look_for_args_file:
            default_file = script_args_file()
        texts = insert_args_files(texts, default_file, args_file_flag)
        namespace, remaining = self.parse_known_args(texts, self._fresh_defaults())
        if remaining and not return_remaining_strings:
            self._refuse_remaining(remaining)
        outputs = self._split_namespace(namespace)
        return (*outputs, remaining) if return_remaining_strings else tuple(outputs)

    def parse_dict(
        self,
        args: Mapping[str, Any],
        *,
        overrides: Sequence[str] = (),
        allow_extra_keys: bool = False,
        return_extra_keys: bool = False,
    ) -> tuple[Any, ...]:
        """Fill the dataclasses from plain values, which must fit the type hints.

        Args:
            args: Names of fields and their values.
            overrides: Options, as on a command line, that win over these values.
            allow_extra_keys: Pass over keys that no dataclass has.
            return_extra_keys: Give these back as a dict, after the dataclasses.

        Raises:
            ValueError: A key or an option is no field, a required field is missing, or a value
                does not fit.
        """
        extra = {key: value for key, value in args.items() if key not in self._owners}
        if not (allow_extra_keys or return_extra_keys):
            refuse_unknown(extra, self._owners)
        values = {**args, **self._read_overrides(overrides)}
        outputs = []
        for kind in self.dataclass_types:
            names = [field.name for field in self._fields_of[kind]]
            outputs.append(
                fill_dataclass(kind, {name: values[name] for name in names if name in values})
            )
        return (*outputs, extra) if return_extra_keys else tuple(outputs)

    def parse_json_file(self, json_file: str | os.PathLike[str], **options: Any) -> tuple[Any, ...]:
        """Fill the dataclasses from a JSON file; `options` are those of `parse_dict`."""
        text = Path(json_file).read_text(encoding="utf-8")
        return self.parse_dict(_as_mapping(json.loads(text), json_file), **options)

    def parse_yaml_file(self, yaml_file: str | os.PathLike[str], **options: Any) -> tuple[Any, ...]:
        """Fill the dataclasses from a YAML file; `options` are those of `parse_dict`.

        Scalars are those of YAML 1.2: `1e-5` is a number and `no` a text. An empty file says
        nothing.
        """
        text = Path(yaml_file).read_text(encoding="utf-8")
        return self.parse_dict(_as_mapping(parse_yaml(text), yaml_file), **options)

    def _add_field(self, kind: type, field: TypedField) -> None:
        if field.name in self._owners:
            self._check_shared(kind, field)
            return
        self._owners[field.name] = (kind, field)
        taken = {other.name for fields in self._fields_of.values() for other in fields}
        add_field_options(self._target_of(kind), field, taken)
        self._made[field.name] = self.get_default(field.name)

    def _check_shared(self, kind: type, field: TypedField) -> None:
        owner, first = self._owners[field.name]
        if (field.hint, field.default, field.factory) != (first.hint, first.default, first.factory):
            raise ValueError(
                f"{owner.__qualname__} and {kind.__qualname__} both have a field {field.name!r}, "
                "with another type or default: one option cannot fill both. Rename one of them."
            )

    def _target_of(self, kind: type) -> "argparse._ActionsContainer":
        title = getattr(kind, "_argument_group_name", None)
        if title is None:
            return self
        if title not in self._groups:
            self._groups[title] = self.add_argument_group(title)
        return self._groups[title]

    def _fresh_defaults(self) -> argparse.Namespace:
        """What the factories make, but where `set_defaults` has said something else."""
        return argparse.Namespace(
            **{
                name: field.factory()
                for name, (_, field) in self._owners.items()
                if field.factory is not MISSING and self.get_default(name) is self._made[name]
            }
        )

    def _read_overrides(self, texts: Sequence[str]) -> dict[str, Any]:
        reader = _Overrides(prog=self.prog, add_help=False, allow_abbrev=False)
        for _, field in self._owners.values():
            add_field_options(reader, field, self._owners, is_override=True)
        reader._negative_number_matcher = _NEGATIVE_NUMBER  # noqa: SLF001 - as in __init__
        found, remaining = reader.parse_known_args(texts)
        if remaining:
            self._refuse_remaining(remaining)
        return vars(found)

    def _split_namespace(self, namespace: argparse.Namespace) -> list[Any]:
        values = vars(namespace)
        outputs: list[Any] = [
            kind(**{field.name: values[field.name] for field in self._fields_of[kind]})
            for kind in self.dataclass_types
        ]
        plain = {name: value for name, value in values.items() if name not in self._owners}
        return [*outputs, argparse.Namespace(**plain)] if plain else outputs

    def _refuse_remaining(self, remaining: list[str]) -> None:
        options = [text for text in self._option_string_actions if text.startswith("--")]
        listed = ", ".join(
            suggest(text, options) if text.startswith("--") else repr(text) for text in remaining
        )
        raise ValueError(
            f"some specified arguments are not used by the {type(self).__name__}: {listed}"
        )


class _Overrides(argparse.ArgumentParser):
    """Options that win over values of a file: what is wrong with them is raised, not printed."""

    def error(self, message: str) -> NoReturn:
        raise ValueError(message)


def _as_list(kinds: Any) -> list[type]:
    if kinds is None:
        return []
    if isinstance(kinds, type):
        return [kinds]
    if hasattr(kinds, "__dataclass_fields__"):  # an instance, which is refused as what it is
        return [kinds]
    return list(kinds)


def _as_mapping(values: Any, path: str | os.PathLike[str]) -> Mapping[str, Any]:
    if values is None:
        return {}
    if not isinstance(values, Mapping):
        raise ValueError(  # noqa: TRY004 - the file has a wrong value; no argument has a wrong type
            f"{os.fspath(path)}: a mapping of fields is needed, got a {type(values).__name__}"
        )
    return values
