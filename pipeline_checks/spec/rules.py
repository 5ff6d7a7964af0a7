"""A rule: how a value is read, and what is said where it does not fit.

The same rules serve the spec, where pydantic calls them, and `CONFIG` in the worker, where pydantic
is not imported.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .flaws import Flaw, FlawsError, has_interpolation

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True)
class Rule:
    """One kind of value.

    Attributes:
        expected: Completes `expected ...`.
        read: Gives the value as it will be used; raises ValueError where it does not fit.
        schema: The JSON Schema of what may be written.
        suggest: Gives a remedy for a value that does not fit, or "".
    """

    expected: str
    read: Callable[[Any], Any]
    schema: dict[str, Any] = field(hash=False)
    suggest: Callable[[Any], str] = lambda value: ""  # noqa: ARG005 - most have nothing to say

    def __call__(self, value: object) -> Any:
        """The value as it will be used.

        Raises:
            FlawsError: It does not fit.
        """
        if isinstance(value, str) and has_interpolation(value):
            raise FlawsError([Flaw.interpolation(value)])
        try:
            return self.read(value)
        except FlawsError:
            raise
        except (ValueError, OverflowError):  # float() of a number with 400 digits overflows
            remedy = self.suggest(value) if isinstance(value, (str, int)) else ""
            flaw = Flaw.unlike(value, self.expected, remedy)
            raise FlawsError([flaw]) from None

    def __get_pydantic_core_schema__(self, source: object, handler: object) -> Any:
        """Tell pydantic to read the value with this rule."""
        from pydantic_core import core_schema  # noqa: PLC0415 - the worker does without

        return core_schema.no_info_plain_validator_function(self)

    def __get_pydantic_json_schema__(self, core_schema: object, handler: object) -> Any:
        """Tell pydantic the JSON Schema."""
        return dict(self.schema)
