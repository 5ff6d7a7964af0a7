"""Stages whose user code is hostile: load passes, dataset has seen something and then does it.

Each action is a function of the user's; `run_<action>` is the generator that the worker runs.
"""

# ruff: noqa: PTH123, SIM115, S606 - user code as users write it

import atexit
import contextlib
import ctypes
import faulthandler
import logging
import os
import resource
import signal
import subprocess
import sys
import threading
import time

from tdebug.pipeline_checks.events import Observed, Progress, StageBegan, StageEnded
from tdebug.pipeline_checks.facts import SetupFacts
from tdebug.pipeline_checks.report import Stage

SLEEPER = "import time; time.sleep(600)"


def segfault():
    ctypes.string_at(0)


def segfault_with_own_faulthandler():
    faulthandler.enable()
    ctypes.string_at(0)


def segfault_in_a_thread():
    thread = threading.Thread(target=segfault)
    thread.start()
    thread.join()


def abort():
    os.abort()


def exit_at_once():
    os._exit(3)


def exit_with_zero():
    os._exit(0)


def leave():
    sys.exit(4)


def leave_with_words():
    sys.exit("no data here")


def interrupt():
    raise KeyboardInterrupt


def kill_itself():
    os.kill(os.getpid(), signal.SIGKILL)


def take_all_memory():
    resource.setrlimit(resource.RLIMIT_AS, (2**30, 2**30))
    taken = []
    while True:
        taken.append(bytearray(2**20))


def take_all_memory_in_small_pieces():
    resource.setrlimit(resource.RLIMIT_AS, (2**28, 2**28))
    taken = []
    while True:
        taken.append(str(len(taken)) * 3)


def sleep_for_ever():
    time.sleep(600)


def spin_for_ever():
    while True:
        pass


def hold_the_gil_for_ever():
    ctypes.PyDLL(None).sleep(600)


def sleep_and_take_sigusr1():
    signal.signal(signal.SIGUSR1, signal.SIG_IGN)
    time.sleep(600)


def print_a_million_lines():
    for number in range(1_000_000):
        print("line", number)


def print_for_ever():
    while True:
        os.write(1, b"again\n" * 1000)


def print_markup():
    print("[bold red]not markup[/] [/oops] \x1b[2J\x1b]0;title\x07 \x00 ü \udcff")
    os.write(2, b"\xff\xfe half a character: \xc3")


def start_a_thread():
    threading.Thread(target=sleep_for_ever).start()


def start_a_process():
    subprocess.Popen([sys.executable, "-c", SLEEPER])


def start_a_process_in_its_own_session():
    subprocess.Popen([sys.executable, "-c", SLEEPER], start_new_session=True)


def fork_and_stay():
    if os.fork() == 0:
        time.sleep(600)


def fork_and_die():
    fork_and_stay()
    kill_itself()


def fork_and_go_on_twice():
    os.fork()


def fork_below_python():
    if ctypes.CDLL(None).fork() == 0:
        ctypes.CDLL(None).sleep(600)
    os._exit(5)


def crash_in_a_fork():
    child = os.fork()
    if child == 0:
        segfault()
    os.waitpid(child, 0)


def close_its_streams():
    os.close(1)
    os.close(2)
    open(os.devnull)
    open(os.devnull)


def close_python_streams():
    sys.stdout.close()
    sys.stderr.close()


def close_every_file():
    os.closerange(3, 100)


def close_every_file_and_open_others():
    os.closerange(3, 100)
    for number in range(20):
        open(f"of_the_user_{number}", "w")


def close_every_file_and_sleep():
    os.closerange(3, 100)
    time.sleep(600)


def become_another_program():
    os.execv(sys.executable, [sys.executable, "-c", SLEEPER])


def redirect_everything():
    sys.stdout = sys.stderr = None
    logging.basicConfig(level=logging.DEBUG, force=True)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGCHLD, signal.SIGPIPE):
        signal.signal(number, signal.SIG_IGN)
    os.chdir("/")
    os.environ.clear()
    sys.path.clear()
    sys.argv = None
    threading.settrace(None)
    os.umask(0o777)


def leave_the_session():
    try:
        os.setsid()
    except PermissionError:
        print("setsid is refused")


def register_an_exit_that_hangs():
    atexit.register(sleep_for_ever)


def read_its_input():
    print("input:", repr(sys.stdin.read()))


def do_nothing():
    pass


def _stages(action, spec):
    print("printed while loading")
    yield StageBegan(Stage.LOAD)
    yield StageEnded(Stage.LOAD, 0.1, "loaded")
    yield StageBegan(Stage.DATASET)
    yield Observed(SetupFacts(device="abacus"))
    yield Progress(Stage.DATASET, "dataset[17]", 17, 40)
    print("printed at sample 17")
    action()
    with contextlib.suppress(OSError, ValueError):
        print("printed after sample 17")
    yield StageEnded(Stage.DATASET, 0.2, "40 of 40 samples read")


def __getattr__(name):
    action = globals().get(name.removeprefix("run_"))
    if not name.startswith("run_") or action is None:
        raise AttributeError(name)
    return lambda spec: _stages(action, spec)
