"""`CONFIG`, the settings in a pipeline file; imports neither pydantic nor yaml."""

from __future__ import annotations

import typing
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .flaws import Flaw, FlawsError, gather_flaws
from .mistakes import Mistake
from .near import did_you_mean, find_near
from .python_lines import find_dict_lines
from .sections import LoaderSpec
from .values import DEVICE, PRECISION, SAMPLES, SECONDS, SEED

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from .rules import Rule

SETTING_RULES = {
    "device": DEVICE,
    "precision": PRECISION,
    "seed": SEED,
    "samples": SAMPLES,
    "budget": SECONDS,
    "timeout": SECONDS,
}
# A key that is not tdebug's is taken for a slip of the pen where it is this near to one of them and
# as long; else it is the user's own, and so are these words, which have a meaning of their own.
SLIP = 0.75
OWN_WORDS = frozenset(("devices", "loaders", "sample", "sampler", "seeds", "timeouts"))


def validate_config(
    config: object, *, file: str = "CONFIG", source: Path | None = None
) -> tuple[dict[str, Any], list[Mistake]]:
    """Read the `CONFIG` of a pipeline file.

    It holds settings of a spec (`device`, `precision`, `seed`, `samples`, `budget`, `timeout`), a
    `loader`, and the keys of `loader` also at its top (`batch_size`, `num_workers`). Other keys are
    the user's own and left alone, unless they are nearly one of these.

    Args:
        config: The user's object.
        file: The pipeline file as the user named it, for the mistakes.
        source: Where that file is, to find the lines; None finds none.

    Returns:
        The settings as the spec has them, those of the loader as a dict under `loader` (see
        `WorkerSpec.filled_from`), and what is wrong.
    """
    reader = _Reader(file, find_dict_lines(source, "CONFIG") if source else {})
    if isinstance(config, dict):
        reader.read(config)
    else:
        reader.refuse("CONFIG", "", Flaw.unlike(config, "a dict"))
    if reader.loader:
        reader.values["loader"] = reader.loader
    return reader.values, reader.mistakes


@dataclass
class _Reader:
    file: str
    lines: Mapping[str, int]
    values: dict[str, Any] = field(default_factory=dict)
    loader: dict[str, Any] = field(default_factory=dict)
    mistakes: list[Mistake] = field(default_factory=list)

    def read(self, config: dict[Any, Any]) -> None:
        loader_rules = _loader_rules()
        for key, value in config.items():
            with self._refusing(f"CONFIG[{key!r}]", key):
                if key in SETTING_RULES:
                    self.values[key] = SETTING_RULES[key](value)
                elif key in loader_rules:
                    self.loader[key] = loader_rules[key](value)
                elif key == "loader":
                    self._read_loader(value, loader_rules)
                else:
                    _refuse_slip(str(key), [*SETTING_RULES, *loader_rules, "loader"])

    def _read_loader(self, value: object, rules: Mapping[str, Rule]) -> None:
        if not isinstance(value, dict):
            raise FlawsError([Flaw.unlike(value, "a dict")])
        for key, item in value.items():
            with self._refusing(f"CONFIG['loader'][{key!r}]", "loader"):
                if key not in rules:
                    remedy = did_you_mean(str(key), rules) or f"There are {', '.join(rules)}."
                    raise FlawsError([Flaw("is no setting of a loader.", remedy)])
                self.loader[key] = rules[key](item)

    @contextmanager
    def _refusing(self, shown: str, key: object) -> Iterator[None]:
        flaws: list[Flaw] = []
        with gather_flaws(flaws):
            yield
        for flaw in flaws:
            self.refuse(shown, key, flaw)

    def refuse(self, shown: str, key: object, flaw: Flaw) -> None:
        line = self.lines.get(str(key), self.lines.get(""))
        self.mistakes.append(Mistake(self.file, line, f"{shown} {flaw.predicate}", flaw.remedy))


def _refuse_slip(key: str, known: list[str]) -> None:
    meant = find_near(key, known, SLIP)
    if meant and abs(len(meant) - len(key)) <= 1 and key.lower() not in OWN_WORDS:
        raise FlawsError([Flaw("is no setting of tdebug.", f"Did you mean {meant!r}?")])


def _loader_rules() -> dict[str, Rule]:
    """The rules in the annotations of `LoaderSpec`, by name."""
    hints = typing.get_type_hints(LoaderSpec, include_extras=True)
    return {
        name: hint.__metadata__[0] for name, hint in hints.items() if hasattr(hint, "__metadata__")
    }
