"""The stages at work: they call the user's code, observe it, and tell what they saw as events."""

from .run import check_live, run_stages

__all__ = ["check_live", "run_stages"]
