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


def test_what_is_printed_meanwhile_is_on_stderr():
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True
    )
    assert done.stdout == "before\nafter\n"
    assert sorted(done.stderr.splitlines()) == ["c code", "child", "python"]
