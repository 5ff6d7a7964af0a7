"""Checks of the evaluate stage."""
