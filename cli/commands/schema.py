"""`tdebug schema`: the JSON Schema of a spec, for editors."""

from __future__ import annotations

from ..options import TracebackOption  # noqa: TC001 - typer reads the annotations


def schema(*, traceback: TracebackOption = False) -> None:  # noqa: ARG001 - read by `main`
    """Print the JSON Schema of tdebug.yaml, for editors that complete and check as you type."""
    import json  # noqa: PLC0415 - only this command needs it

    from ...pipeline_checks.spec import spec_schema  # noqa: PLC0415 - heavy
    from ..stdout import write_to_stdout  # noqa: PLC0415 - heavy

    write_to_stdout(json.dumps(spec_schema(), indent=2) + "\n")
