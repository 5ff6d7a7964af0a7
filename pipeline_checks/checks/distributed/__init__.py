"""Checks of runs in several processes."""
