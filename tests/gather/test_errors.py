"""Each error says who and why, from its facts."""

import pytest

from tdebug.gather import (
    Absence,
    AbsenceReason,
    LocalMainFailedError,
    RankError,
    RanksDisagreeError,
    RanksMissingError,
)


def test_missing_ranks_are_named_with_their_reasons():
    error = RanksMissingError(
        "after epoch 1",
        2.04,
        [
            Absence(1, AbsenceReason.DEAD, "process 7 on a ended"),
            Absence(2, AbsenceReason.SILENT, "process 8 on a runs, and is here:", "  File x\n"),
        ],
    )

    assert error.ranks == (1, 2)
    assert str(error) == (
        "ranks 1 and 2 did not arrive at 'after epoch 1' in 2.0 s:\n"
        "  rank 1 is dead: process 7 on a ended\n"
        "  rank 2 is silent: process 8 on a runs, and is here:\n"
        "      File x"
    )


def test_where_the_store_is_gone_and_nothing_is_known_that_is_said():
    assert str(RanksMissingError("x", 0.0, [])) == (
        "a rank did not arrive at 'x' in 0.0 s:\n"
        "  the store of the process group does not answer: the process that keeps it (rank 0, or "
        "the launcher) is gone"
    )


def test_ranks_that_hold_the_same_stand_on_one_line():
    error = RanksDisagreeError("x", "their batches", {0: "5", 2: "5", 1: "4"})

    assert (
        str(error) == "the ranks differ at 'x' in their batches:\n  ranks 0 and 2: 5\n  rank 1: 4"
    )


@pytest.mark.parametrize(
    ("error", "builtin"),
    [
        (RanksMissingError, TimeoutError),
        (RanksDisagreeError, ValueError),
        (LocalMainFailedError, RuntimeError),
    ],
)
def test_every_error_is_the_builtin_that_fits(error, builtin):
    assert issubclass(error, RankError)
    assert issubclass(error, builtin)
