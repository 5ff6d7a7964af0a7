import subprocess
import sys

PROGRAM = """
import os, sys
from tdebug.cli.redirection import stdout_to_stderr
print("before")
with stdout_to_stderr():
    print("python")
    os.write(1, b"c code\\n")
    os.system("echo child")
print("after")
"""

HOSTILE = """
import os, sys
from tdebug.cli.redirection import stdout_to_stderr, with_streams_of_each

class Broken:
    def write(self, text): raise RuntimeError(text)
    def flush(self): raise RuntimeError("flush")

def events():
    sys.stdout = Broken()
    sys.stderr = None
    yield 1
    assert isinstance(sys.stdout, Broken)
    sys.__stdout__.close()
    os.close(2)
    yield 2

with stdout_to_stderr():
    for event in with_streams_of_each(events()):
        assert sys.stderr is sys.__stderr__
print("the report")
print("the rest", file=sys.stderr)
"""


def test_what_is_printed_meanwhile_is_on_stderr():
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True
    )
    assert done.stdout == "before\nafter\n"
    assert sorted(done.stderr.splitlines()) == ["c code", "child", "python"]


def test_streams_that_are_replaced_and_closed_meanwhile_are_there_again():
    done = subprocess.run(
        [sys.executable, "-c", HOSTILE], capture_output=True, text=True, check=True
    )

    assert (done.stdout, done.stderr) == ("the report\n", "the rest\n")
