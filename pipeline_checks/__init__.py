"""pipeline_checks."""
