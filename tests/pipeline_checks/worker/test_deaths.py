"""What the findings about a dead worker say."""

import signal

import pytest

from tdebug.pipeline_checks.checks import find_check
from tdebug.pipeline_checks.checks.registry import run_check
from tdebug.pipeline_checks.events import Death
from tdebug.pipeline_checks.report import Stage
from tdebug.pipeline_checks.worker.black_box import Position
from tdebug.pipeline_checks.worker.deaths import (
    death_by_exit,
    death_by_silence,
    death_by_timeout,
)

AT = Position(Stage.FORWARD, "batch 3")
STACK = 'Current thread 0x1 (most recent call first):\n  File "/elsewhere/my.py", line 3 in f\n'


def problem_of(death):
    (found,) = [
        problem
        for code in ("TD011", "TD012")
        for problem in run_check(find_check(code), {Death: death})
    ]
    return found


@pytest.mark.parametrize(
    ("returncode", "message", "hint"),
    [
        (
            -signal.SIGKILL,
            "the process was ended by SIGKILL in the forward stage.",
            "memory ran out",
        ),
        (-signal.SIGSEGV, "the process was ended by SIGSEGV in the forward stage.", "native code"),
        (-signal.SIGTERM, "the process was ended by SIGTERM in the forward stage.", "sent it"),
        (-40, "the process was ended by signal 40 in the forward stage.", ""),
        (3, "the code ended its own process in the forward stage, with exit code 3.", "exception"),
        (113, "the process lost its connection to tdebug in the forward stage: ", "closes files"),
    ],
)
def test_each_end_has_its_words(returncode, message, hint):
    problem = problem_of(death_by_exit(AT, returncode, ""))

    assert problem.stage is Stage.FORWARD
    assert problem.where == "batch 3"
    assert problem.message.startswith(message)
    assert hint in problem.hint


def test_a_stack_of_an_earlier_moment_is_no_stack_of_a_kill():
    assert death_by_exit(AT, -signal.SIGKILL, STACK).stack == ""
    assert death_by_exit(AT, -signal.SIGSEGV, "Fatal Python error: x\n\n" + STACK).stack != ""


def test_a_timeout_says_where_it_was():
    problem = problem_of(death_by_timeout(AT, 600.0, STACK))

    assert problem.message == "the forward stage came to no end within 600 s and was ended."
    assert problem.hint.startswith("it was at /elsewhere/my.py:3;")
    assert (problem.location.file, problem.location.line) == ("/elsewhere/my.py", 3)


def test_a_timeout_without_a_stack_says_so():
    assert problem_of(death_by_timeout(AT, 2.5, "")).hint.startswith(
        "where it was could not be had"
    )


def test_a_silent_worker_is_lost():
    assert problem_of(death_by_silence(AT)).values["kind"] == "lost"
