"""Facts: what the observers saw, as plain frozen dataclasses that cross the worker's pipe."""
