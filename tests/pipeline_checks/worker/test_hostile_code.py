"""Whatever the user's code does, there is a report that names the stage."""

import time

import pytest

from tdebug.pipeline_checks.facts import SetupFacts
from tdebug.pipeline_checks.report import Stage, Status


def only_finding(report):
    (finding,) = report.findings
    return finding


def stage_of(report, stage):
    return next(result for result in report.stages if result.stage is stage)


def assert_died_in_dataset(report, code="TD011"):
    finding = only_finding(report)
    assert finding.code == code
    assert finding.stage is Stage.DATASET
    assert "dataset stage" in finding.message
    assert finding.where == "dataset[17]"
    assert stage_of(report, Stage.LOAD).status is Status.PASSED
    assert stage_of(report, Stage.DATASET).status is Status.FAILED
    assert "printed at sample 17" in stage_of(report, Stage.DATASET).output
    assert "printed while loading" not in stage_of(report, Stage.DATASET).output
    assert report.exit_code() == 1
    return finding


def assert_passed(report):
    assert report.findings == ()
    assert stage_of(report, Stage.DATASET).status is Status.PASSED
    assert report.exit_code() == 0


@pytest.mark.parametrize(
    ("action", "name", "line"),
    [
        ("segfault", "SIGSEGV", "ctypes.string_at(0)"),
        ("segfault_with_own_faulthandler", "SIGSEGV", "ctypes.string_at(0)"),
        ("segfault_in_a_thread", "SIGSEGV", "ctypes.string_at(0)"),
        ("abort", "SIGABRT", "os.abort()"),
    ],
)
def test_a_crash_names_the_signal_and_the_line(report_of, action, name, line):
    finding = assert_died_in_dataset(report_of(action))

    assert name in finding.message
    assert finding.location.code == line
    assert finding.location.file.endswith("hostile.py")
    assert "native code" in finding.hint


@pytest.mark.parametrize(
    ("action", "words", "line"),
    [
        ("exit_at_once", "exit code 3", "os._exit(3)"),
        ("exit_with_zero", "exit code 0", "os._exit(0)"),
        ("leave", "exit code 4", "sys.exit(4)"),
        ("leave_with_words", "exit code 1", 'sys.exit("no data here")'),
        ("interrupt", "KeyboardInterrupt", "raise KeyboardInterrupt"),
    ],
)
def test_leaving_names_the_code_and_the_line(report_of, action, words, line):
    finding = assert_died_in_dataset(report_of(action))

    assert words in finding.message
    assert finding.location.code == line


def test_a_kill_is_blamed_on_memory(report_of):
    finding = assert_died_in_dataset(report_of("kill_itself"))

    assert "SIGKILL" in finding.message
    assert "memory" in finding.hint
    assert finding.stack == ()


@pytest.mark.parametrize("action", ["take_all_memory", "take_all_memory_in_small_pieces"])
def test_memory_that_runs_out_is_reported(report_of, action):
    finding = assert_died_in_dataset(report_of(action))

    assert "MemoryError" in finding.message
    assert finding.location.function == action


@pytest.mark.parametrize("action", ["sleep_for_ever", "spin_for_ever", "hold_the_gil_for_ever"])
def test_a_stage_without_an_end_is_ended_and_its_line_named(report_of, action):
    finding = assert_died_in_dataset(report_of(action, timeout=0.6), code="TD012")

    assert "no end within 0.6 s" in finding.message
    assert finding.location.function == action


def test_a_stage_that_ignores_sigusr1_is_ended_too(report_of):
    finding = assert_died_in_dataset(report_of("sleep_and_take_sigusr1", timeout=0.6), code="TD012")

    assert finding.stack == ()


def test_the_limit_counts_for_each_stage_and_not_while_the_parent_thinks(events_of):
    seen = []
    for event in events_of("do_nothing", timeout=1.0):
        time.sleep(0.3)
        seen.append(type(event).__name__)

    assert "Death" not in seen


def test_a_million_lines_are_read_and_capped(report_of, events_of):
    texts = [e.text for e in events_of("print_a_million_lines") if type(e).__name__ == "Output"]

    printed = "".join(texts)
    assert "line 0\n" in printed
    assert "line 999999\nprinted after sample 17\n" in printed
    assert "bytes of output left out" in printed
    assert len(printed) < 140_000


def test_printing_for_ever_is_ended(report_of):
    report = report_of("print_for_ever", timeout=0.6)

    finding = only_finding(report)
    assert finding.code == "TD012"
    assert len(stage_of(report, Stage.DATASET).output) < 140_000


def test_markup_and_control_codes_arrive_as_they_were_printed(events_of):
    texts = [e.text for e in events_of("print_markup") if type(e).__name__ == "Output"]

    printed = "".join(texts)
    assert "[bold red]not markup[/] [/oops] \x1b[2J\x1b]0;title\x07 \x00 ü \\udcff" in printed
    assert "�� half a character: �" in printed


@pytest.mark.parametrize(
    "action",
    [
        "start_a_thread",
        "start_a_process",
        "start_a_process_in_its_own_session",
        "fork_and_stay",
        "fork_and_go_on_twice",
        "crash_in_a_fork",
        "close_its_streams",
        "close_python_streams",
        "redirect_everything",
        "leave_the_session",
    ],
)
def test_what_does_no_harm_passes_and_leaves_nothing_behind(report_of, action):
    began = time.monotonic()

    report = report_of(action)

    assert_passed(report)
    assert time.monotonic() - began < 10


def test_a_fork_that_goes_on_is_not_heard(events_of):
    names = [type(event).__name__ for event in events_of("fork_and_go_on_twice")]

    assert names.count("StageEnded") == 2


@pytest.mark.parametrize("action", ["fork_and_die", "fork_below_python"])
def test_a_death_is_seen_although_a_fork_lives_on(report_of, action):
    assert_died_in_dataset(report_of(action))


@pytest.mark.parametrize(
    "action",
    [
        "close_every_file",
        "close_every_file_and_open_others",
        "close_every_file_and_sleep",
        "become_another_program",
    ],
)
def test_a_lost_connection_is_reported(report_of, action, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    finding = assert_died_in_dataset(report_of(action))

    assert "lost its connection" in finding.message
    assert [path for path in tmp_path.iterdir() if path.read_bytes()] == []


def test_an_exit_function_that_hangs_is_cut_short(report_of):
    began = time.monotonic()

    assert_passed(report_of("register_an_exit_that_hangs"))

    assert time.monotonic() - began < 5


def test_the_input_is_empty(events_of):
    texts = [e.text for e in events_of("read_its_input") if type(e).__name__ == "Output"]

    assert "input: ''" in "".join(texts)


def test_what_was_seen_before_a_crash_is_kept(events_of):
    facts = [e.fact for e in events_of("segfault") if type(e).__name__ == "Observed"]

    assert facts == [SetupFacts(device="abacus")]
