import pytest

from tdebug.pipeline_checks.checks.forward.dtype_mismatch import dtype_mismatch
from tdebug.pipeline_checks.checks.forward.shape_mismatch import shape_mismatch

BCE = "binary_cross_entropy_with_logits"


@pytest.fixture
def find(failing, tensor):
    def run(check, function, *operands, names=()):
        named = [
            tensor(*shape, dtype=dtype, name=name)
            for (shape, dtype), name in zip(operands, ("input", "target", *names), strict=False)
        ]
        return list(check(failing(function, named, module=None), None))

    return run


def test_class_weights_of_numpy_are_named_with_both_dtypes(find):
    given = ((4, 2), "float32"), ((4,), "int64"), ((2,), "float64")
    [problem] = find(dtype_mismatch, "cross_entropy", *given, names=["weight"])
    assert "class weights [2] of float64, but an output of float32" in problem.message
    assert "weight.to(torch.float32); numpy" in problem.hint


def test_class_weights_for_too_few_classes(find):
    given = ((4, 3), "float32"), ((4,), "int64"), ((2,), "float32")
    [problem] = find(shape_mismatch, "cross_entropy", *given, names=["weight"])
    assert "class weights [2] for 3 classes" in problem.message
    assert "minlength=3" in problem.hint


def test_a_pos_weight_for_each_sample(find):
    given = ((16, 5), "float32"), ((16, 5), "float32"), ((16,), "float32")
    [problem] = find(shape_mismatch, BCE, *given, names=["pos_weight"])
    assert "pos_weight [16] for outputs [16, 5]" in problem.message
    assert "one entry a label, [5]; a weight for each sample is [16, 1]" in problem.hint


def test_ctc_that_gets_the_batch_first(find):
    given = ((4, 20, 10), "float32"), ((4, 5), "int64"), ((4,), "int64"), ((4,), "int64")
    [problem] = find(shape_mismatch, "ctc_loss", *given, names=["input_lengths", "target_lengths"])
    assert "[time, batch, classes] but gets [4, 20, 10]: its 4 samples stand first" in (
        problem.message
    )


def test_weights_that_fit_are_not_to_blame(find):
    given = ((4, 2), "float32"), ((4,), "int64"), ((2,), "float32")
    assert not find(shape_mismatch, "cross_entropy", *given, names=["weight"])
    assert not find(dtype_mismatch, "cross_entropy", *given, names=["weight"])
    flags = ((16, 5), "float32"), ((16, 5), "float32"), ((5,), "float32")
    assert not find(shape_mismatch, BCE, *flags, names=["pos_weight"])
    logs = ((20, 4, 10), "float32"), ((4, 5), "int64"), ((4,), "int64"), ((4,), "int64")
    assert not find(shape_mismatch, "ctc_loss", *logs, names=["lengths", "others"])
