from dataclasses import replace

import pytest

from tdebug.pipeline_checks.checks.forward.dtype_mismatch import dtype_mismatch
from tdebug.pipeline_checks.report import Stage


@pytest.mark.parametrize(
    ("given", "own", "advice"),
    [
        ("float64", "float32", "numpy makes float64"),
        ("int64", "float32", ".float()"),
        ("float32", "float16", "torch.autocast"),
        ("bfloat16", "float32", "torch.autocast"),
        ("float32", "float64", "torch.float64"),
    ],
)
def test_each_clash_has_its_own_advice(failing, tensor, given, own, advice):
    operands = (
        tensor(4, 3, dtype=given, field="[0]", name="batch[0]"),
        tensor(8, 3, dtype=own, name="0.weight"),
    )
    (problem,) = dtype_mismatch(failing("linear", operands, module="0", module_type="Linear"), None)
    assert f"Linear '0' holds {own} (0.weight) but gets {given}" in problem.message
    assert "batch[0]" in problem.message
    assert advice in problem.hint


def test_an_embedding_of_floats_is_found(failing, tensor):
    operands = (tensor(4, 3), tensor(30, 8))
    assert list(dtype_mismatch(failing("embedding", operands), None))


def test_an_embedding_of_ids_is_fine(failing, tensor):
    operands = (tensor(4, 3, dtype="int64"), tensor(30, 8))
    assert not list(dtype_mismatch(failing("embedding", operands), None))


def test_a_sum_of_two_dtypes_promotes_and_is_fine(failing, tensor):
    operands = (tensor(4, dtype="float64"), tensor(4))
    assert not list(dtype_mismatch(failing("add", operands), None))


def test_a_loss_that_only_backward_refuses_is_found_there(failing, calls):
    training = failing()
    failure = replace(training.failures[0], stage=Stage.BACKWARD)
    training = replace(training, failures=(failure,))
    (problem,) = dtype_mismatch(training, calls("huber_loss", (4, 1), target_dtype="float64"))
    assert problem.stage is Stage.BACKWARD
    assert "output of float32 and a target of float64" in problem.message


def test_a_float64_target_is_fine_where_nothing_failed(failing, calls):
    training = replace(failing(), failures=())
    assert not list(dtype_mismatch(training, calls("mse_loss", (4,), target_dtype="float64")))


def test_an_index_of_floats_is_made_an_integer(failing, tensor):
    (problem,) = dtype_mismatch(failing("__getitem__", (tensor(4, 3), tensor(4))), None)
    assert ".long()" in problem.hint
