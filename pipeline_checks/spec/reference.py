"""Split an object reference into file or module and attribute; nothing is imported."""

from __future__ import annotations

import keyword
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .flaws import Flaw, FlawsError

if TYPE_CHECKING:
    from collections.abc import Iterator

FILE = re.compile(r"(?P<file>.*\.py)(?::(?P<attribute>.*))?", re.DOTALL)
FORMS = "module:attribute, module.attribute or file.py:attribute"


@dataclass(frozen=True)
class ParsedReference:
    """An object reference, taken apart.

    Attributes:
        text: As it was written.
        file: `pkg/train.py`, or None where a module is named.
        module: `my_project.train`, or None where a file is named.
        attribute: `build`, `Model.from_name`; "" where the whole file or module is meant.
        is_dotted: True for `torch.optim.AdamW`: without a colon only an import can tell where the
            module ends. `module` and `attribute` are then the likeliest split; see `splits`.
    """

    text: str
    file: str | None
    module: str | None
    attribute: str
    is_dotted: bool = False

    def splits(self) -> Iterator[tuple[str, str]]:
        """Every (module, attribute) that may be meant, the longest module first.

        >>> list(parse_reference("torch.optim.AdamW").splits())
        [('torch.optim.AdamW', ''), ('torch.optim', 'AdamW'), ('torch', 'optim.AdamW')]
        """
        if not self.is_dotted:
            yield self.module or "", self.attribute
            return
        names = self.text.split(".")
        for length in range(len(names), 0, -1):
            yield ".".join(names[:length]), ".".join(names[length:])


def parse_reference(text: str) -> ParsedReference:
    """Take an object reference apart.

    >>> parsed = parse_reference("pkg/train.py:build")
    >>> parsed.file, parsed.module, parsed.attribute
    ('pkg/train.py', None, 'build')

    Raises:
        FlawsError: (a ValueError) The text is no object reference.
    """
    if named := FILE.fullmatch(text):
        attribute = named["attribute"]
        if attribute is None or _is_dotted_name(attribute):
            return ParsedReference(text, named["file"], None, attribute or "")
    module, colon, attribute = text.partition(":")
    if _is_dotted_name(module) and not colon:
        head, _, tail = module.rpartition(".")
        return ParsedReference(text, None, head or tail, tail if head else "", is_dotted=True)
    if _is_dotted_name(module) and _is_dotted_name(attribute):
        return ParsedReference(text, None, module, attribute)
    raise FlawsError([Flaw.unlike(text, f"an object reference: {FORMS}", _guess_meant(text))])


def is_reference(text: str) -> bool:
    """Whether `parse_reference` can take the text apart."""
    try:
        parse_reference(text)
    except FlawsError:
        return False
    return True


def _is_dotted_name(text: str) -> bool:
    names = text.split(".")
    return all(name.isidentifier() and not keyword.iskeyword(name) for name in names)


def _guess_meant(text: str) -> str:
    called = re.fullmatch(r"([\w.:/-]+)\(.*\)", text, re.DOTALL)
    if called:
        return f"Write {called[1]!r} as _target_, and the arguments beside it."
    if "/" in text and not FILE.fullmatch(text):
        return "The name of a file ends in .py."
    closer = re.sub(r"\s*([:.])\s*", r"\1", text.strip())
    if closer != text and _is_dotted_name(closer.replace(":", ".", 1)):
        return f"Did you mean {closer!r}?"
    if "::" in text:
        return f"Did you mean {text.replace('::', ':')!r}?"
    return ""
