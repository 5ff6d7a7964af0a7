"""From words, processes and signs of life it is told whether a rank can still come."""

import os
import subprocess
import sys
import time
from dataclasses import replace

import pytest
from torch.distributed import HashStore

from tdebug.gather import attendance as attendance_module
from tdebug.gather.absence import Absence, AbsenceReason
from tdebug.gather.attendance import Attendance
from tdebug.gather.identity import Identity, is_running
from tdebug.gather.mailbox import Mailbox

ME = Identity.of_this_process()


@pytest.fixture
def mailbox():
    return Mailbox(HashStore(), "test")


@pytest.fixture
def ended_process():
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process


def arrive(mailbox, rank, identity):
    mailbox.post(f"identity/{rank}", identity.to_word())
    mailbox.post(f"beat/{rank}", 1)


def test_a_process_that_runs_is_not_gone(mailbox):
    arrive(mailbox, 1, ME)

    assert Attendance(ME).find_gone(mailbox, [1]) == []


def test_a_rank_that_was_never_heard_of_may_still_come(mailbox):
    assert Attendance(ME).find_gone(mailbox, [1]) == []


def test_a_process_that_ended_on_this_machine_is_dead(mailbox, ended_process):
    arrive(mailbox, 1, replace(ME, pid=ended_process.pid))

    (absence,) = Attendance(ME).find_gone(mailbox, [1])

    assert absence.reason is AbsenceReason.DEAD
    assert absence.detail == (
        f"process {ended_process.pid} on {ME.host} ended without a word (killed, or os._exit)"
    )


def test_a_process_that_waits_to_be_reaped_does_not_run():
    process = subprocess.Popen([sys.executable, "-c", ""], stdout=subprocess.PIPE)
    process.stdout.read()  # ends with the process
    end_s = time.monotonic() + 10
    while is_running(process.pid) and time.monotonic() < end_s:
        time.sleep(0.01)

    assert not is_running(process.pid)
    assert is_running(os.getpid())
    process.communicate()


def test_process_ids_of_another_machine_mean_nothing_here(mailbox, ended_process):
    elsewhere = Identity("other-node", "other-node", ended_process.pid)
    arrive(mailbox, 1, elsewhere)

    assert Attendance(ME).find_gone(mailbox, [1]) == []


def test_without_signs_of_life_a_rank_of_another_machine_is_dead(mailbox, monkeypatch):
    monkeypatch.setattr(attendance_module, "NO_BEAT_S", 0.3)
    arrive(mailbox, 1, Identity("other-node", "other-node", 7))
    attendance = Attendance(ME)
    for beat in range(2, 6):
        assert attendance.find_gone(mailbox, [1]) == []
        time.sleep(0.1)
        mailbox.post("beat/1", beat)
    assert attendance.find_gone(mailbox, [1]) == []

    time.sleep(0.4)
    (absence,) = attendance.find_gone(mailbox, [1])

    assert absence.reason is AbsenceReason.DEAD
    assert absence.detail == "process 7 on other-node has given no sign of life for 0 s"


def test_a_dead_rank_of_another_machine_is_named_within_ten_seconds():
    # Half a second between looks, one between signs of life.
    assert attendance_module.NO_BEAT_S + 0.5 + attendance_module.BEAT_S < 10


def test_the_last_word_of_a_rank_says_why_it_is_gone(mailbox):
    arrive(mailbox, 1, ME)
    mailbox.post("farewell/1", {"reason": "failed", "detail": "KeyError: 'boom'"})

    (absence,) = Attendance(ME).find_gone(mailbox, [1])

    assert absence.describe() == "rank 1 failed: KeyError: 'boom'"


def test_what_was_read_ahead_is_known_without_the_store(mailbox, ended_process):
    arrive(mailbox, 0, ME)
    arrive(mailbox, 1, replace(ME, pid=ended_process.pid))
    mailbox.post("farewell/0", {"reason": "left", "detail": "it finished"})
    attendance = Attendance(ME)

    attendance.learn(mailbox, [0, 1])

    assert [gone.rank for gone in attendance.find_known_gone([0, 1, 2])] == [0, 1]


@pytest.mark.parametrize(
    ("is_known", "stack", "sentence"),
    [
        (False, "", "it never took part in this roll call, so nothing is known of its process"),
        (True, "", "is there and does not answer (stopped, or in native code)"),
        (True, "  File x\n    f()\n", "runs, and is here:\n      File x\n        f()"),
    ],
)
def test_a_silent_rank_is_described_by_what_is_known(mailbox, is_known, stack, sentence):
    attendance = Attendance(ME)
    if is_known:
        arrive(mailbox, 1, ME)
    attendance.learn(mailbox, [1])

    absence = attendance.describe_silent(1, stack)

    assert absence.describe().startswith("rank 1 is silent: ")
    assert absence.describe().endswith(sentence)
    assert Absence.from_word(absence.to_word()) == absence
