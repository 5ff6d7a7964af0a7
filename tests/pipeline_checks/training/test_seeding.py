# ruff: noqa: S311, NPY002 - the global generators are what is tested
import os
import random
import types

import numpy as np
import pytest
import torch

from tdebug.pipeline_checks.training import enable_full_determinism, preserved_rng_state, set_seed

VARIABLES = ("CUDA_LAUNCH_BLOCKING", "CUBLAS_WORKSPACE_CONFIG", "FLASH_ATTENTION_DETERMINISTIC")


@pytest.fixture(autouse=True)
def keep_everything(monkeypatch):
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    with preserved_rng_state():
        yield
    torch.use_deterministic_algorithms(mode=False)


def draw():
    return random.random(), np.random.rand(), torch.rand(1).item()


def test_the_numbers_are_those_that_everybody_gets():
    set_seed(42)
    assert draw() == pytest.approx((0.6394267984578837, 0.3745401188473625, 0.8822692632675171))


def test_the_numbers_are_those_of_transformers():
    transformers = pytest.importorskip("transformers")
    set_seed(7)
    ours = draw()
    transformers.set_seed(7)
    assert draw() == ours


def test_a_numpy_integer_is_a_seed():
    set_seed(np.int64(3))
    ours = draw()
    set_seed(3)
    assert draw() == ours


@pytest.mark.parametrize("seed", [-1, 2**32])
def test_a_seed_out_of_range_is_refused_before_anything_is_seeded(seed):
    set_seed(1)
    expected = draw()
    set_seed(1)
    for function in (set_seed, enable_full_determinism):
        with pytest.raises(ValueError, match=f"an integer from 0 to 4294967295, not {seed}"):
            function(seed)
    assert draw() == expected


@pytest.mark.parametrize("seed", [1.5, "1", None])
def test_what_is_no_integer_is_refused_before_anything_is_seeded(seed):
    set_seed(1)
    expected = draw()
    set_seed(1)
    with pytest.raises(TypeError, match="a seed is an integer"):
        set_seed(seed)
    assert draw() == expected


def test_deterministic_algorithms_are_chosen_where_asked_for():
    set_seed(1, deterministic=True)
    assert torch.are_deterministic_algorithms_enabled()


def test_full_determinism_is_set_and_put_back(monkeypatch):
    monkeypatch.setenv("CUDA_LAUNCH_BLOCKING", "0")
    undo = enable_full_determinism(42, warn_only=True)
    assert torch.is_deterministic_algorithms_warn_only_enabled()
    assert (torch.backends.cudnn.deterministic, torch.backends.cudnn.benchmark) == (True, False)
    assert [os.environ[name] for name in VARIABLES] == ["1", ":16:8", "1"]
    assert draw()[0] == pytest.approx(0.6394267984578837)
    undo()
    assert not torch.are_deterministic_algorithms_enabled()
    assert not torch.backends.cudnn.deterministic
    assert [os.environ.get(name) for name in VARIABLES] == ["0", None, None]


@pytest.mark.parametrize(
    ("chosen", "kept"), [(":4096:8", ":4096:8"), (":16:8", ":16:8"), (":0:0", ":16:8")]
)
def test_a_workspace_that_is_deterministic_is_kept(monkeypatch, chosen, kept):
    monkeypatch.setenv("CUBLAS_WORKSPACE_CONFIG", chosen)
    undo = enable_full_determinism(1)
    assert os.environ["CUBLAS_WORKSPACE_CONFIG"] == kept
    undo()
    assert os.environ["CUBLAS_WORKSPACE_CONFIG"] == chosen


def test_variables_that_come_too_late_are_warned_of(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_initialized", lambda: True)
    with pytest.warns(UserWarning, match="CUDA has already started and will not see CUDA_LAUNCH"):
        undo = enable_full_determinism(1)
    undo()


def test_tensorflow_is_seeded_where_it_is_imported(monkeypatch):
    seeds = []
    tensorflow = types.SimpleNamespace(
        random=types.SimpleNamespace(set_seed=seeds.append),
        config=types.SimpleNamespace(
            experimental=types.SimpleNamespace(enable_op_determinism=lambda: seeds.append("ops"))
        ),
    )
    monkeypatch.setitem(__import__("sys").modules, "tensorflow", tensorflow)
    set_seed(3)
    enable_full_determinism(4)()
    assert seeds == [3, 4, "ops"]
