"""Options after `--` are the user's own; a launcher's processes are told from tdebug's."""

import pytest

from tdebug.cli.after_dashes import split_options
from tdebug.cli.launched import find_launched_rank


@pytest.mark.parametrize(
    ("given", "own", "users"),
    [
        (["check", "--", "--lr", "1"], ["check"], ("--lr", "1")),
        (["check", "a.py", "--", "--", "b"], ["check", "a.py"], ("--", "b")),
        (["check", "a.py"], ["check", "a.py"], ()),
        (["overflow", "--", "--lr", "1"], ["overflow"], ("--lr", "1")),
        (["trace", "a.py", "--", "--lr", "1"], ["trace", "a.py"], ("--lr", "1")),
        (["explain", "--", "TD104"], ["explain", "--", "TD104"], ()),
    ],
)
def test_what_stands_after_the_dashes_is_the_users_where_a_spec_is_run(given, own, users):
    assert split_options(given) == (own, users)


@pytest.mark.parametrize("command", ["check", "overflow", "trace"])
def test_options_that_no_dataclass_takes_are_refused(tmp_path, run_here, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "setup.py").write_text("def build_model():\n    return None\n")

    result = run_here(command, "setup.py", "--", "--lr", "3")

    assert result.code == 2
    assert "'--lr 3' would fill the dataclasses of the spec, and it names none." in result.err


def test_a_process_is_launched_where_a_launcher_says_so(monkeypatch):
    for name in ("TORCHELASTIC_RUN_ID", "RANK", "WORLD_SIZE"):
        monkeypatch.delenv(name, raising=False)
    assert find_launched_rank() is None

    for name, value in {"TORCHELASTIC_RUN_ID": "x", "RANK": "1", "WORLD_SIZE": "3"}.items():
        monkeypatch.setenv(name, value)
    launched = find_launched_rank()

    assert (launched.rank, launched.num_ranks, launched.reports) == (1, 3, False)


@pytest.mark.parametrize("command", ["check", "overflow"])
def test_more_processes_than_the_launchers_are_refused(tmp_path, run_here, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "setup.py").write_text("def build_model():\n    return None\n")
    for name, value in {"TORCHELASTIC_RUN_ID": "x", "RANK": "0", "WORLD_SIZE": "3"}.items():
        monkeypatch.setenv(name, value)

    result = run_here(command, "setup.py", "--nproc", "2")

    assert result.code == 2
    assert result.err.startswith("--nproc: a launcher has started 3 processes already.")


def test_a_trace_of_a_launchers_processes_is_refused(tmp_path, run_here, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "setup.py").write_text("def build_model():\n    return None\n")
    for name, value in {"TORCHELASTIC_RUN_ID": "x", "RANK": "0", "WORLD_SIZE": "3"}.items():
        monkeypatch.setenv(name, value)

    result = run_here("trace", "setup.py")

    assert result.code == 2
    assert result.err == (
        "trace: a launcher has started 3 processes, and one is traced. "
        "Start it without the launcher.\n"
    )
