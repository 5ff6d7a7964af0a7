"""What can go wrong with the worker that is no fault of the user's code."""

from __future__ import annotations


class WorkerCrashError(RuntimeError):
    """tdebug itself failed in the worker; its traceback, or what was there of one.

    Attributes:
        sentence: What happened.
        details: The traceback or the output of the worker, "" if there is none.
    """

    def __init__(self, sentence: str, details: str = "") -> None:
        self.sentence = sentence
        self.details = details
        super().__init__("\n".join(part for part in (sentence, details.strip()) if part))
