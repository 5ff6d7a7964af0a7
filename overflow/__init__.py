"""overflow."""
