"""Files that are no spec: one clear sentence each."""

import os
import time

import pytest

from tdebug.pipeline_checks.spec import SpecError, load_spec

INIT = "`tdebug init` writes a tdebug.yaml to start from."


def refusal(target, folder):
    with pytest.raises(SpecError) as raised:
        load_spec(target, folder=folder)
    return str(raised.value)


def test_a_missing_file_is_named(tmp_path):
    assert refusal("nowhere.yaml", tmp_path) == "nowhere.yaml: there is no such file."
    assert refusal("a/b/nowhere.py", tmp_path) == "a/b/nowhere.py: there is no such file."


def test_a_missing_file_of_a_near_name_is_offered(tmp_path):
    (tmp_path / "train_setup.py").touch()

    text = refusal("train_setp.py", tmp_path)

    assert text == "train_setp.py: there is no such file. Did you mean 'train_setup.py'?"


def test_a_module_that_is_meant_for_a_file_is_offered(tmp_path):
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "train.py").touch()

    text = refusal("pkg.train", tmp_path)

    assert text == "pkg.train: there is no such file. Did you mean 'pkg/train.py'?"


def test_a_folder_is_no_file(tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "tdebug.yaml").touch()

    assert refusal("empty", tmp_path) == "empty: is a folder, not a file."
    assert refusal("full/", tmp_path) == (
        "full/: is a folder, not a file. Did you mean 'full/tdebug.yaml'?"
    )


def test_a_device_and_a_pipe_are_no_regular_files(tmp_path):
    os.mkfifo(tmp_path / "pipe")

    assert refusal("/dev/zero", tmp_path) == "/dev/zero: is no regular file."
    assert refusal("pipe", tmp_path) == "pipe: is no regular file."


def test_a_name_that_no_file_can_have(tmp_path):
    assert "cannot be read" in refusal("x" * 5000, tmp_path)
    assert "cannot be read" in refusal("a\0b", tmp_path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read(tmp_path):
    (tmp_path / "s.yaml").write_text("seed: 3")
    (tmp_path / "s.yaml").chmod(0)

    assert refusal("s.yaml", tmp_path) == "s.yaml: cannot be read: Permission denied."


def test_a_binary_file(tmp_path):
    (tmp_path / "model.bin").write_bytes(bytes(range(256)))

    text = refusal("model.bin", tmp_path)

    assert text == "model.bin: is a binary file; a spec is YAML text."


def test_a_file_of_100_mb_is_refused_without_reading_it(tmp_path):
    with (tmp_path / "data.yaml").open("wb") as file:
        file.truncate(100_000_000)
    (tmp_path / "half.yaml").write_text("#" * 300_000)
    began = time.perf_counter()

    assert refusal("data.yaml", tmp_path) == "data.yaml: is 100 MB; a spec has at most 256 kB."
    assert refusal("half.yaml", tmp_path) == "half.yaml: is 293 kB; a spec has at most 256 kB."
    assert time.perf_counter() - began < 1


def test_text_that_is_not_utf_8_has_its_line(tmp_path):
    (tmp_path / "s.yaml").write_bytes("seed: 3\n# caf\u00e9\n".encode("latin-1"))

    text = refusal("s.yaml", tmp_path)

    assert text == (
        "s.yaml:2: is not UTF-8: byte 0xe9 is no part of a character. Save it as UTF-8."
    )


def test_utf_16_text(tmp_path):
    (tmp_path / "s.yaml").write_bytes("seed: 3\n".encode("utf-16"))

    assert refusal("s.yaml", tmp_path) == ("s.yaml: is UTF-16 or UTF-32 text. Save it as UTF-8.")


def test_a_byte_order_mark_and_windows_line_ends_are_read(tmp_path):
    (tmp_path / "s.yaml").write_bytes(b"\xef\xbb\xbfpipeline: a.py\r\nseed: 3\r\n")

    spec = load_spec("s.yaml", folder=tmp_path)

    assert (spec.seed, spec.line_of("seed")) == (3, 2)


@pytest.mark.parametrize("text", ["", "\n\n", "# only a comment\n", "---\n", "--- \n...\n"])
def test_an_empty_file(text, tmp_path):
    (tmp_path / "s.yaml").write_text(text)

    assert refusal("s.yaml", tmp_path) == (
        "s.yaml: the spec is empty. `tdebug init` writes one to start from."
    )


@pytest.mark.parametrize(
    ("text", "what"),
    [("# c\n- a\n", "a list"), ("\nhello", "'hello'"), ("\n3", "3"), ("\n''", "''")],
)
def test_a_file_that_holds_no_mapping(text, what, tmp_path):
    (tmp_path / "s.yaml").write_text(text)

    assert refusal("s.yaml", tmp_path) == (
        f"s.yaml:2: the spec is {what}; expected a mapping of keys to values."
    )


def test_a_notebook_is_no_spec(tmp_path):
    assert refusal("a.ipynb", tmp_path) == (
        "a.ipynb: is a notebook, which is no spec. "
        "Call tdebug.pipeline_checks.check_pipeline in a cell of it."
    )


def test_a_folder_without_any_spec(tmp_path):
    none = "tdebug.yaml: there is none, nor a [tool.tdebug] in pyproject.toml, in this folder."

    assert refusal(None, tmp_path) == f"{none} {INIT}"

    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    (tmp_path / "tdebug.yml").touch()

    assert refusal(None, tmp_path) == f"{none} Did you mean 'tdebug.yml'? Name it."


@pytest.mark.parametrize("target", ["", "  "])
def test_an_empty_name_is_the_name_of_no_file(target):
    with pytest.raises(SpecError, match=r"is the name of no file\. Leave it out for tdebug\.yaml"):
        load_spec(target)


@pytest.mark.parametrize("target", ["long" * 100, "long" * 100 + ".py:build"])
def test_a_name_that_is_too_long_is_told(target):
    with pytest.raises(SpecError, match="File name too long"):
        load_spec(target)
