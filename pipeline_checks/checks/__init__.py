"""The checks: one file, one function, one name each; `registry` holds them."""

from .registry import Check, Undecided, all_checks, check, find_check

__all__ = ["Check", "Undecided", "all_checks", "check", "find_check"]
