import sys

import pytest

from tdebug.pipeline_checks.pipeline.resolve import (
    ImportFailedError,
    UnknownReferenceError,
    import_file,
    resolve,
)
from tdebug.pipeline_checks.spec.parts import Reference


def reference(text, line=3):
    return Reference(text, line)


def test_a_file_with_an_attribute(write, tmp_path):
    write("train.py", "class Net:\n    @staticmethod\n    def make():\n        return 7\n")

    assert resolve(reference("train.py:Net.make"), tmp_path)() == 7


def test_a_module_with_a_colon_and_a_dotted_name(write, tmp_path):
    write("my_parts/__init__.py", "")
    write("my_parts/data.py", "rows = [1, 2]\n")

    assert resolve(reference("my_parts.data:rows"), tmp_path) == [1, 2]
    assert resolve(reference("my_parts.data.rows"), tmp_path) == [1, 2]


def test_what_is_installed_is_found(tmp_path):
    import collections  # noqa: PLC0415 - what is looked for

    assert resolve(reference("collections:OrderedDict"), tmp_path) is collections.OrderedDict
    assert resolve(reference("collections.abc.Mapping.get"), tmp_path)


def test_a_missing_file_is_told_with_its_line_and_a_near_name(write, tmp_path):
    write("train_setup.py", "")

    with pytest.raises(UnknownReferenceError, match="there is no file") as caught:
        resolve(reference("train_stup.py:model", 12), tmp_path)

    assert (caught.value.line, caught.value.remedy) == (12, "Did you mean train_setup.py?")


def test_a_missing_module_is_told_with_where_it_was_looked_for(tmp_path):
    with pytest.raises(UnknownReferenceError, match=r"there is no module 'no_such_thing\.at_all'"):
        resolve(reference("no_such_thing.at_all:x"), tmp_path)


def test_a_missing_attribute_is_told_with_a_near_name(write, tmp_path):
    write("train.py", "def build_model():\n    pass\n")

    with pytest.raises(UnknownReferenceError) as caught:
        resolve(reference("train.py:build_modl"), tmp_path)

    assert caught.value.message == "'train.py' has no 'build_modl'."
    assert caught.value.remedy == "Did you mean 'build_model'?"


def test_a_missing_attribute_far_from_all_has_no_remedy(write, tmp_path):
    write("train.py", "x = 1\n")

    with pytest.raises(UnknownReferenceError) as caught:
        resolve(reference("train.py:something_else"), tmp_path)

    assert caught.value.remedy == ""


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("1 / 0", ZeroDivisionError),
        ("def broken(:\n", SyntaxError),
        ("import not_installed_at_all", ModuleNotFoundError),
        ("raise SystemExit(3)", SystemExit),
    ],
)
def test_a_module_that_raises_is_told_apart_from_one_that_is_missing(write, tmp_path, code, kind):
    write("broken_module.py", code)

    for text in ("broken_module.py:x", "broken_module:x"):
        with pytest.raises(ImportFailedError) as caught:
            resolve(reference(text), tmp_path)
        assert isinstance(caught.value.__cause__, kind)


def test_a_package_that_misses_a_module_inside_raises_and_is_not_missing(write, tmp_path):
    write("half/__init__.py", "import not_installed_at_all\n")

    with pytest.raises(ImportFailedError):
        resolve(reference("half.data:rows"), tmp_path)


def test_a_file_is_imported_anew_and_under_its_own_name(write):
    file = write("fresh_module.py", "import itertools\ncount = itertools.count()\n")

    first, second = import_file(file), import_file(file)

    assert first is not second
    assert sys.modules["fresh_module"] is second


def test_a_file_that_raises_leaves_the_module_that_was_there(write):
    file = write("kept_module.py", "x = 1\n")
    before = import_file(file)
    file.write_text("1 / 0")

    with pytest.raises(ImportFailedError):
        import_file(file)

    assert sys.modules["kept_module"] is before


def test_a_file_that_raises_is_not_left_half_imported(write):
    file = write("half_module.py", "x = 1\n1 / 0\n")

    with pytest.raises(ImportFailedError):
        import_file(file)

    assert "half_module" not in sys.modules


def test_ctrl_c_while_a_module_is_imported_is_kept_as_the_cause(write, tmp_path):
    write("stopped_module.py", "raise KeyboardInterrupt")

    with pytest.raises(ImportFailedError) as caught:
        resolve(reference("stopped_module.py:x"), tmp_path)

    assert isinstance(caught.value.__cause__, KeyboardInterrupt)


def test_a_folder_is_no_file(tmp_path):
    with pytest.raises(UnknownReferenceError):
        import_file(tmp_path)
