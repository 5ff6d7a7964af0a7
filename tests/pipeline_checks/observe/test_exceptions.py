import builtins
import linecache
import math
import sys
from pathlib import Path

import pytest
import torch

from tdebug.pipeline_checks.observe.exceptions import MAX_TEXT, exception_fact, type_name
from tdebug.pipeline_checks.observe.user_code import UserCode, is_library, is_own, shown_path

HERE = Path(__file__)
CODE = UserCode((str(HERE.parent),))


def caught(function):
    try:
        function()
    except BaseException as error:  # noqa: BLE001 - whatever the test raises
        return exception_fact(error, CODE)
    return pytest.fail("nothing was raised")


def test_type_text_bases_and_line_are_kept():
    fact = caught(lambda: {}["missing"])

    assert (fact.type, fact.text) == ("KeyError", "'missing'")
    assert fact.bases[:2] == ("KeyError", "LookupError")
    assert Path(fact.location.file).name == HERE.name
    assert '{}["missing"]' in fact.location.code
    assert str(fact) == "KeyError: 'missing'"


def test_frames_of_libraries_are_kept_apart_from_the_users():
    fact = caught(lambda: torch.nn.Linear(2, 2)(torch.ones(3)))

    assert fact.frames[-1].file.startswith("torch/nn/modules/linear.py")
    assert fact.location == fact.user_frames[-1]


def test_an_exception_of_a_library_is_named_with_its_package():
    assert type_name(torch.cuda.OutOfMemoryError) == "torch.OutOfMemoryError"
    assert type_name(ValueError) == "ValueError"


def test_an_own_class_that_is_named_as_a_builtin_is_told_apart():
    class ValueError(Exception):  # noqa: A001 - that is the test
        pass

    assert type_name(ValueError) != "ValueError"


def test_a_text_that_cannot_be_had_is_said_so():
    class Broken(Exception):  # noqa: N818 - a user's name
        def __str__(self):
            raise ZeroDivisionError

    def fail():
        raise Broken

    assert caught(fail).text == "(its text could not be had: ZeroDivisionError)"


def test_a_long_text_is_cut():
    def fail():
        raise ValueError("x" * 10 * MAX_TEXT)

    assert len(caught(fail).text) == MAX_TEXT + len(" ...")


def test_colours_of_a_library_do_not_land_in_the_text():
    def fail():
        raise RuntimeError("\x1b[1mBert\x1b[0m \x1b[31;1mfailed\x1b[0m\x1b[2K")

    assert caught(fail).text == "Bert failed"


def test_the_cause_is_kept_and_a_suppressed_context_is_not():
    def chain():
        try:
            math.sqrt(-1)
        except ValueError as error:
            raise RuntimeError("outer") from error

    def suppress():
        try:
            math.sqrt(-1)
        except ValueError:
            raise RuntimeError("outer") from None

    assert caught(chain).cause.type == "ValueError"
    assert caught(suppress).cause is None


def test_a_chain_without_end_is_cut():
    def fail():
        error = None
        for number in range(10):
            fresh = ValueError(str(number))
            fresh.__cause__ = error
            error = fresh
        raise error

    fact, depth = caught(fail), 0
    while fact.cause is not None:
        fact, depth = fact.cause, depth + 1
    assert depth == 3


def test_endless_recursion_keeps_the_first_and_the_last_frames():
    def recurse():
        return recurse()

    fact = caught(recurse)

    assert fact.type == "RecursionError"
    assert len(fact.frames) == 80


def test_the_users_code_is_what_lies_in_the_users_folders(tmp_path):
    code = UserCode((str(tmp_path),))

    assert code.holds(str(tmp_path / "train.py"))
    assert code.holds(str(tmp_path / "deep" / "er" / "data.py"))
    assert not code.holds(str(tmp_path) + "_other/train.py")
    assert not code.holds(torch.__file__)
    assert not code.holds("<string>")


def test_a_notebook_cell_is_the_users_code(tmp_path):
    code = UserCode((str(tmp_path),))

    assert code.holds("<ipython-input-3-abc>")
    assert code.holds("/tmp/ipykernel_123/456.py")  # noqa: S108 - where ipykernel puts cells


def test_an_installed_package_below_the_users_folder_is_a_librarys(tmp_path):
    code = UserCode((str(tmp_path),))

    assert not code.holds(str(tmp_path / ".venv/lib/python3.11/site-packages/torch/nn.py"))


def test_tdebugs_own_files_and_the_standard_library_are_known():
    import tdebug.pipeline_checks.walk as own  # noqa: PLC0415 - the module itself

    assert is_own(own.__file__)
    assert is_library(linecache.__file__)
    assert not is_own(str(HERE))


def test_paths_are_shown_as_the_user_would_write_them(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    assert shown_path(str(tmp_path / "a" / "b.py")) == "a/b.py"
    assert shown_path("/x/site-packages/torch/nn.py") == "torch/nn.py"
    assert shown_path("/elsewhere/c.py") == "/elsewhere/c.py"


def test_the_innermost_line_of_the_users_is_the_caller():
    place = CODE.caller()

    assert (Path(place.file).name, place.function) == (
        HERE.name, "test_the_innermost_line_of_the_users_is_the_caller",
    )  # fmt: skip


@pytest.mark.skipif(sys.version_info < (3, 11), reason="there are no groups before Python 3.11")
def test_the_exceptions_of_a_group_are_told():
    group = builtins.BaseExceptionGroup("many", [ValueError("a"), KeyboardInterrupt()])

    def fail():
        raise group

    assert caught(fail).text == "many (2 sub-exceptions): ValueError: a; KeyboardInterrupt: "


def test_a_syntax_error_has_the_line_that_python_could_not_read(tmp_path):
    file = tmp_path / "setup_of_training.py"
    file.write_text("import torch\ndef build_model(:\n")
    try:
        compile(file.read_text(), str(file), "exec")
    except SyntaxError as error:
        fact = exception_fact(error, UserCode((str(tmp_path),)))

    assert (fact.user_frames[-1].line, fact.user_frames[-1].code) == (2, "def build_model(:")
