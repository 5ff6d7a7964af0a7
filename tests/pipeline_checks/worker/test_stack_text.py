"""Reading faulthandler's stacks."""

from tdebug.pipeline_checks.report import Location
from tdebug.pipeline_checks.worker.stack_text import (
    read_faulthandler,
    read_stack,
    user_frames,
    write_stack,
)

CRASH_IN_A_THREAD = """\
Fatal Python error: Segmentation fault

Current thread 0x00007f0a (most recent call first):
  File "/usr/lib/python3.11/ctypes/__init__.py", line 519 in string_at
  File "/home/me/train.py", line 12 in __getitem__
  ...

Thread 0x00007f0b (most recent call first):
  File "/home/me/train.py", line 40 in <module>

Extension modules: numpy.core (total: 1)
"""


def frames_of(text):
    return [(frame.file, frame.line, frame.function) for frame in read_faulthandler(text)]


def test_the_thread_that_crashed_is_read_innermost_last():
    assert frames_of(CRASH_IN_A_THREAD) == [
        ("/home/me/train.py", 12, "__getitem__"),
        ("/usr/lib/python3.11/ctypes/__init__.py", 519, "string_at"),
    ]


def test_the_main_thread_is_read_where_native_code_alone_crashed():
    text = """\
Thread 0x01 (most recent call first):
  File "helper.py", line 1 in wait

Thread 0x02 [python] (most recent call first):
  File "train.py", line 2 in main
"""
    assert frames_of(text) == [("train.py", 2, "main")]


def test_the_last_of_several_reports_is_read():
    asked = 'Current thread 0x01 (most recent call first):\n  File "a.py", line 1 in earlier\n'

    assert frames_of(asked + CRASH_IN_A_THREAD)[0][0] == "/home/me/train.py"
    assert frames_of(asked + asked.replace("earlier", "later")) == [("a.py", 1, "later")]


def test_a_file_name_beyond_ascii_is_restored():
    text = 'Stack (most recent call first):\n  File "/home/j\\xfcrgen/\\u6570.py", line 3 in f\n'

    assert frames_of(text) == [("/home/jürgen/数.py", 3, "f")]


def test_text_without_a_stack_has_no_frames():
    assert read_faulthandler("") == read_faulthandler("Fatal Python error: Aborted\n") == []


def test_a_written_stack_is_read_back():
    frames = [
        Location("train.py", 3, "step", "loss.backward()"),
        Location('odd "name".py', 4, "<lambda>", None),
        Location("/venv/lib/python3.11/site-packages/torch/x.py", 5, "run", 'File "a", line 1'),
    ]

    assert read_stack(write_stack(frames)) == frames
    assert user_frames(write_stack(frames)) == tuple(frames[:2])


def test_a_stack_of_libraries_alone_is_shown_whole():
    frames = [
        Location("<frozen importlib>", 1, "load"),
        Location("/usr/lib/python3.10/re.py", 2, "f"),
    ]

    assert user_frames(write_stack(frames)) == tuple(frames)
