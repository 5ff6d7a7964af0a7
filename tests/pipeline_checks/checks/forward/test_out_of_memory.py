import pytest

from tdebug.pipeline_checks.checks.forward.out_of_memory import out_of_memory
from tdebug.pipeline_checks.facts import LoaderFacts


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("torch.OutOfMemoryError", "CUDA out of memory. Tried to allocate 20 GiB"),
        ("RuntimeError", "[enforce fail] DefaultCPUAllocator: not enough memory"),
        ("MemoryError", ""),
    ],
)
def test_each_way_to_run_out_of_memory_is_known(failing, error, kind, text):
    training = failing("linear", inputs=[("[0]", (64, 3))], raised=error(kind, text), module="fc")
    (problem,) = out_of_memory(training, LoaderFacts(batch_size=64))
    assert "now 64" in problem.hint
    assert "[64, 3]" in problem.where


def test_another_error_is_not_memory(failing, error):
    assert not list(out_of_memory(failing(raised=error("RuntimeError", "no")), None))
