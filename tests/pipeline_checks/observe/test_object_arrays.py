from pathlib import Path

import numpy as np
import torch

from tdebug.pipeline_checks.observe.object_arrays import find_object_arrays
from tdebug.pipeline_checks.observe.user_code import UserCode

CODE = UserCode((str(Path(__file__).parent),))


class Rows:
    def __init__(self):
        self.rows = np.array([[1.5, "a", None]] * 2, dtype=object)
        self.fine = np.zeros(3)

    def __getitem__(self, i):
        return torch.from_numpy(self.rows[i])


def raised(function):
    try:
        function()
    except (TypeError, ValueError, KeyError) as error:
        return error
    raise AssertionError


def test_the_object_array_in_self_is_found_with_its_types():
    [found] = find_object_arrays(raised(lambda: Rows()[0]), CODE)

    assert (found.name, found.shape) == ("self.rows", (2, 3))
    assert found.types_inside == (("float", "1.5"), ("str", "'a'"), ("NoneType", "None"))


def test_a_local_object_array_is_found():
    def read():
        row = np.array([1, None], dtype=object)
        return torch.as_tensor(row)

    [found] = find_object_arrays(raised(read), CODE)

    assert found.name == "row"


def test_other_exceptions_and_other_code_are_not_searched():
    def read():
        row = np.array([1, None], dtype=object)
        return {}[row.shape]

    assert not find_object_arrays(raised(read), CODE)
    assert not find_object_arrays(raised(lambda: Rows()[0]), UserCode(("/nowhere",)))
