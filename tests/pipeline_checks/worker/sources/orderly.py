"""Stages that behave, and some that are tdebug's own fault."""

import atexit
import os
import resource
import sys
import time
from contextlib import suppress
from pathlib import Path

from tdebug.pipeline_checks.events import Note, Progress, StageBegan, StageEnded
from tdebug.pipeline_checks.report import Stage
from tdebug.pipeline_checks.worker.doing import note_doing

LIGHT = {"pydantic", "rich", "typer", "yaml", "torch", "numpy", "click", "junitparser"}


def two_stages(spec):
    for stage in (Stage.LOAD, Stage.DATASET):
        yield StageBegan(stage)
        Path(spec.folder, stage.value).touch()
        yield StageEnded(stage)


def endless(spec):
    yield StageBegan(Stage.LOAD)
    if os.fork() == 0:
        time.sleep(600)
    yield Progress(Stage.LOAD, "model")
    time.sleep(600)


def cleans_up(spec):
    def clean_up():
        Path(spec.folder, "cleaned").touch()

    atexit.register(clean_up)
    yield StageBegan(Stage.LOAD)
    yield StageEnded(Stage.LOAD)
    yield StageBegan(Stage.DATASET)


def dies_in_a_module(spec):
    yield StageBegan(Stage.FORWARD)
    yield Progress(Stage.FORWARD, "batch 3")
    note_doing("layers.1.wo")
    os.kill(os.getpid(), 9)


def dies_in_backward(spec):
    yield StageBegan(Stage.FORWARD)
    yield StageBegan(Stage.BACKWARD)
    yield Progress(Stage.FORWARD, "batch 3")
    note_doing("", Stage.BACKWARD)
    note_doing("layers.0")
    print("printed in backward")
    os.kill(os.getpid(), 9)


def dies_after_a_module(spec):
    yield StageBegan(Stage.FORWARD)
    note_doing("layers.1.wo", Stage.BACKWARD)
    yield Progress(Stage.FORWARD, "batch 4")
    os.kill(os.getpid(), 9)


def tells_about_itself(spec):
    yield StageBegan(Stage.LOAD)
    yield Note("modules " + " ".join(sorted(LIGHT & {name.split(".")[0] for name in sys.modules})))
    yield Note("first " + sys.path[0])
    yield Note("last " + sys.path[-1])
    yield Note("folder " + str(Path.cwd()))
    yield Note("device " + spec.device)
    yield Note("argv " + repr(sys.argv[1:]))
    yield StageEnded(Stage.LOAD)


def fails_itself(spec):
    yield StageBegan(Stage.LOAD)
    raise LookupError("a mistake of tdebug")


def sends_no_event(spec):
    yield StageBegan(Stage.LOAD)
    yield spec


def sends_much(spec):
    yield StageBegan(Stage.LOAD)
    yield Note("x" * 5_000_000)
    for number in range(2000):
        yield Note(f"note {number}")
    yield StageEnded(Stage.LOAD)


def tells_much_progress(spec):
    yield StageBegan(Stage.DATASET)
    for number in range(20_000):
        yield Progress(Stage.DATASET, f"dataset[{number}]", number, 20_000)
    os.kill(os.getpid(), 9)


def has_no_memory_to_report(spec):
    yield StageBegan(Stage.LOAD)
    note = Note("y" * 1_000_000)
    taken = []
    resource.setrlimit(resource.RLIMIT_AS, (2**28, 2**28))
    for size in (2**20, 2**16, 2**12, 2**9):
        with suppress(MemoryError):
            while True:
                taken.append(b"x" * size)
    yield note
    yield StageEnded(Stage.LOAD)
