from tdebug.pipeline_checks.checks.forward.device_mismatch import device_mismatch


def test_a_batch_left_on_the_cpu_is_named(failing, tensor):
    operands = (
        tensor(4, 3, field="[0]", name="batch[0]"),
        tensor(8, 3, device="cuda:0", name="0.weight"),
    )
    (problem,) = device_mismatch(failing("linear", operands, module="0", module_type="Linear"))
    assert "batch[0] is on cpu and 0.weight is on cuda:0" in problem.message
    assert "batch[0] stayed on the CPU" in problem.hint


def test_a_tensor_made_in_forward_gets_its_own_advice(failing, tensor):
    operands = (tensor(4, 3, device="cuda:0"), tensor(4, 3))
    (problem,) = device_mismatch(failing("add", operands))
    assert "device=x.device" in problem.hint


def test_a_number_on_the_cpu_goes_with_any_device(failing, tensor):
    operands = (tensor(4, 3, device="cuda:0"), tensor())
    assert not list(device_mismatch(failing("mul", operands)))


def test_one_device_is_fine(failing, tensor):
    assert not list(device_mismatch(failing("add", (tensor(4, 3), tensor(4, 2)))))
