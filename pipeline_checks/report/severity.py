"""How bad a finding is."""

from enum import Enum


class Severity(str, Enum):
    """How bad a finding is; `rank` orders them, worst highest."""

    INFO = "info"
    WARNING = "warning"
    ERROR = "error"

    @property
    def rank(self) -> int:
        """0 for info, 1 for warning, 2 for error."""
        return list(Severity).index(self)

    def __str__(self) -> str:
        return self.value
