"""Numbers of batches, names of checks."""

import pytest

from tdebug.pipeline_checks.spec import parse_batches, read_patterns


@pytest.mark.parametrize(
    ("value", "batches"),
    [
        ("1,3", (1, 3)),
        ("0-5", (0, 1, 2, 3, 4, 5)),
        ("10-100:10", tuple(range(10, 101, 10))),
        ("0-5:2", (0, 2, 4)),
        ("5, 3 ,3", (3, 5)),
        (7, (7,)),
        (2.0, (2,)),
        ([1, 3], (1, 3)),
        (["0-1", 9], (0, 1, 9)),
        ("99999999999", (99999999999,)),
    ],
)
def test_batches_are_read_as_people_write_them(value, batches):
    assert parse_batches(value) == batches


@pytest.mark.parametrize(
    "value", ["", "x", "1-", "-1", "1:2", "3-1", "0-9:0", None, True, [], 1.5, [[1]], "0-1000000"]
)
def test_what_names_no_batches_is_refused(value):
    with pytest.raises(ValueError, match=r"it (is|holds)"):
        parse_batches(value)


def test_checks_are_named_by_code_prefix_or_name_in_any_case():
    assert read_patterns("td1,TD104 , Labels_Out_Of_Range") == (
        "TD1",
        "TD104",
        "labels-out-of-range",
    )
    assert read_patterns(["TD"]) == ("TD",)
