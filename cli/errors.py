"""The exceptions of the command line.

ValueError
OptionError     an option or argument that cannot be used
"""

from __future__ import annotations


class OptionError(ValueError):
    """An option or an argument cannot be used.

    Attributes:
        option: As the user wrote it: `--output`.
        message: A sentence: what was given and what was expected.
        remedy: A sentence: what to do about it, or "".
    """

    def __init__(self, option: str, message: str, remedy: str = "") -> None:
        self.option = option
        self.message = message
        self.remedy = remedy
        super().__init__(" ".join(part for part in (f"{option}: {message}", remedy) if part))
