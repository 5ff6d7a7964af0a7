"""The process that runs the user's code ended in the middle of a stage."""

from collections.abc import Iterator

from ...events import Death
from ...report import Problem, Severity
from ...worker.stack_text import user_frames
from ..registry import check

NATIVE = "the crash is in native code (an extension, a BLAS or CUDA library)"
HINTS = {
    "SIGKILL": "only something outside kills so: most likely the kernel, because memory ran out "
    "(`dmesg` tells); load less at once: fewer samples, a smaller model or batch.",
    "SIGTERM": "another process, a scheduler or the code itself sent it.",
    "SIGINT": "another process or the code itself sent it; Ctrl-C never reaches this process.",
    "SIGABRT": f"{NATIVE} that gave up by itself; its last words are in the output of the stage.",
    "SIGXCPU": "the limit of CPU time was reached (`ulimit -t`).",
    "SIGALRM": "an alarm that the code had set went off without a handler.",
    "MemoryError": "a limit of memory was reached (`ulimit -v`, a container's): load less at once.",
    "KeyboardInterrupt": "the code raises it itself; Ctrl-C never reaches this process.",
}
CRASHES = {"SIGSEGV", "SIGBUS", "SIGILL", "SIGFPE"}
CRASH_HINT = f"{NATIVE} that the last line shown calls; look at what is given to it."
EXIT_HINT = "the code, or a library that it calls, ends the process: raise an exception there."
LOST_HINT = "the code closes files that it did not open, or replaces its process (`os.exec`)."


@check("TD011", Severity.ERROR)
def process_died(death: Death) -> Iterator[Problem]:
    """The process that runs the pipeline ended in the middle of a stage.

    A signal (a crash in native code, the kernel when memory runs out), a call of `os._exit` or
    `sys.exit`, or memory that cannot be had. The finding stands in the stage in which it happened
    and says what was being done: the last sample, batch or module, and the Python stack where one
    could be had.

    Why it matters:
        Training would end there as well, mostly hours later and without a word: such an end leaves
        no traceback.

    How to fix it:
        A crash in native code is mostly an argument that it does not check (an index, a shape, a
        file that is cut short): look at the last line of your code. After SIGKILL, need less
        memory. Instead of leaving the process, raise an exception that says why.
    """
    if death.kind == "timeout":
        return
    stack = user_frames(death.stack)
    yield Problem(
        stage=death.stage,
        message=_message(death),
        where=death.doing,
        hint=_hint(death),
        location=stack[-1] if stack else None,
        stack=stack,
        values={"kind": death.kind, "number": death.number, "name": death.name},
    )


def _message(death: Death) -> str:
    stage = f"in the {death.stage} stage"
    if death.kind == "signal":
        return f"the process was ended by {death.name} {stage}."
    if death.kind == "lost":
        return f"the process lost its connection to tdebug {stage}: {death.name}."
    if death.number is None:
        return f"the process was ended by {death.name} {stage}."
    return f"the code ended its own process {stage}, with {death.name}."


def _hint(death: Death) -> str:
    if death.kind == "lost":
        return LOST_HINT
    if death.name in CRASHES:
        return CRASH_HINT
    return HINTS.get(death.name, EXIT_HINT if death.kind == "exit" else "")
