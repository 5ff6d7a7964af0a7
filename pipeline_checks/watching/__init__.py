"""Training under the detector or the tracer, and traces side by side; runs in the worker."""
