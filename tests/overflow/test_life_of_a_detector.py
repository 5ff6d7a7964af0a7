"""Hooks come and go without a trace; wrappers, copies, threads and memory."""

import copy
import gc
import io
import pickle
import sys
import threading
import tracemalloc
import weakref

import pytest
import torch
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode

from tdebug.overflow import DebugUnderflowOverflow


class Times(nn.Module):
    def forward(self, x):
        return x * 1e38 * 1e38


def hooks_of(model):
    return [
        (len(m._forward_hooks), len(m._forward_pre_hooks), len(m._forward_hooks_with_kwargs))
        for m in model.modules()
    ]


def test_detach_leaves_the_model_as_it_was():
    model = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
    kept = model[0].register_forward_hook(lambda *_: None)
    before = hooks_of(model)

    debugger = DebugUnderflowOverflow(model)
    assert hooks_of(model) != before
    debugger.detach()
    debugger.detach()

    assert hooks_of(model) == before
    kept.remove()


def test_optimizer_hooks_are_removed_too():
    count = len(module_hooks())

    with DebugUnderflowOverflow(nn.Linear(1, 1)):
        assert len(module_hooks()) == count + 2

    assert len(module_hooks()) == count


def module_hooks():
    module = sys.modules["torch.optim.optimizer"]
    return [*module._global_optimizer_pre_hooks, *module._global_optimizer_post_hooks]


def test_a_copy_and_a_pickle_of_the_model_are_not_watched():
    model = nn.Sequential(nn.Linear(2, 2), Times())
    with DebugUnderflowOverflow(model) as debugger:
        average, stored = copy.deepcopy(model), pickle.loads(pickle.dumps(model))  # noqa: S301 - own
        average(torch.ones(1, 2))
        stored(torch.ones(1, 2))

    assert debugger.batch_number is None


def test_two_detectors_on_one_model_work_side_by_side(capsys):
    model = nn.Linear(2, 2)
    with DebugUnderflowOverflow(model) as first, DebugUnderflowOverflow(model) as second:
        model(torch.ones(1, 2))

    assert (first.batch_number, second.batch_number) == (0, 0)


def test_data_parallel_compiled_and_scripted_models_are_refused_with_a_sentence():
    with pytest.raises(TypeError, match="DistributedDataParallel"):
        DebugUnderflowOverflow(nn.DataParallel(nn.Linear(1, 1)))
    with pytest.raises(TypeError, match=r"before torch\.compile"):
        DebugUnderflowOverflow(torch.compile(nn.Linear(1, 1), backend="eager"))
    inside = nn.Sequential(nn.Linear(1, 1))
    inside[0].compile(backend="eager")
    with pytest.raises(TypeError, match=r"before torch\.compile"):
        DebugUnderflowOverflow(inside)
    with pytest.raises(TypeError, match=r"takes a torch.nn.Module, not <class 'int'>"):
        DebugUnderflowOverflow(3)


def test_a_model_compiled_afterwards_is_not_passed_over_in_silence():
    model = nn.Linear(2, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with DebugUnderflowOverflow(model):
        compiled = torch.compile(model, backend="eager")
        compiled(torch.ones(1, 2)).sum().backward()
        with pytest.warns(RuntimeWarning, match="saw no forward of its model"):
            optimizer.step()


def test_threads_have_batches_of_their_own_and_none_is_lost(capsys):
    model = nn.Sequential(*[nn.Linear(4, 4) for _ in range(4)])
    failures = []

    def train():
        try:
            for _ in range(20):
                model(torch.randn(2, 4)).sum().backward()
        except Exception as error:  # noqa: BLE001 - shown below
            failures.append(error)

    with DebugUnderflowOverflow(model) as debugger:
        threads = [threading.Thread(target=train) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    assert failures == []
    assert debugger.batch_number == 79


def test_tracing_many_batches_keeps_no_frames():
    model = nn.Sequential(*[nn.Identity() for _ in range(20)])
    sizes = []
    with DebugUnderflowOverflow(model, trace_batch_nums=range(1000), file=Nowhere()):
        for n in range(60):
            model(torch.ones(1))
            if n == 20:
                tracemalloc.start()
            if n in {30, 59}:
                gc.collect()  # empties Python's own lists of free objects too
                sizes.append(tracemalloc.get_traced_memory()[0])
    tracemalloc.stop()

    assert sizes[1] - sizes[0] < 5_000


class Nowhere(io.StringIO):
    def write(self, text):
        return len(text)


def test_no_tensor_is_kept_alive():
    seen = []
    model = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
    model[0].register_forward_hook(lambda m, a, output: seen.append(weakref.ref(output)))
    with DebugUnderflowOverflow(model), torch.no_grad():
        model(torch.ones(1, 2))
        assert seen[0]() is None


def test_file_takes_the_text_and_stdout_stays_empty(capsys):
    stream = io.StringIO()
    model = nn.Sequential(Times())
    with DebugUnderflowOverflow(model, file=stream), pytest.raises(ValueError, match="inf/nan"):
        model(torch.ones(1))

    assert "Detected inf/nan during batch_number=0" in stream.getvalue()
    assert "Where it began: First inf in the forward of 'mul'" in stream.getvalue()
    assert capsys.readouterr().out == ""


def test_the_accelerators_path_reads_no_number_during_the_step():
    class Syncs(TorchDispatchMode):
        count = 0

        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            self.count += func is torch.ops.aten._local_scalar_dense.default
            return func(*args, **(kwargs or {}))

    model = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4), nn.ReLU(), nn.Linear(4, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with DebugUnderflowOverflow(model, defer=True), Syncs() as syncs:
        for _ in range(2):
            model(torch.randn(3, 4)).sum().backward()
            optimizer.step()

    assert syncs.count <= 1


def test_the_training_is_the_same_number_for_number_with_and_without():
    def train(*, watched):
        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Dropout(), nn.Linear(8, 1))
        optimizer = torch.optim.AdamW(model.parameters(), lr=0.1)
        debugger = DebugUnderflowOverflow(model) if watched else None
        for _ in range(4):
            optimizer.zero_grad()
            model(torch.randn(6, 4)).square().mean().backward()
            optimizer.step()
        if debugger:
            debugger.detach()
        return [*model.state_dict().values(), torch.rand(3)]

    for ours, plain in zip(train(watched=True), train(watched=False), strict=True):
        assert torch.equal(ours, plain)
