import pytest
import torch

from tdebug.pipeline_checks.observe.batch_context import BatchContext
from tdebug.pipeline_checks.observe.huge_values import find_huge_value


def test_a_fill_value_is_found_with_its_field_and_sample():
    x = torch.ones(4, 5)
    x[2, 3] = -1e30

    found = find_huge_value(BatchContext(0, (8, 9, 10, 11), {"x": x, "y": torch.zeros(4)}))

    assert (found.path, found.index, found.median) == ('["x"]', 10, 1.0)
    assert found.value == pytest.approx(-1e30)


@pytest.mark.parametrize(
    "x",
    [
        torch.full((4, 5), 1e30),  # all of it is so large: not one value that was left in
        torch.tensor([0.1, 65000.0]),
        torch.tensor([1.0, float("inf")]),
        torch.tensor([1, 10**12]),
        torch.empty(0),
    ],
)
def test_large_units_and_other_trouble_are_no_fill_values(x):
    assert find_huge_value(BatchContext(0, (0, 1), (x,))) is None
