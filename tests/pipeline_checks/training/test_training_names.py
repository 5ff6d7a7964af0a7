import importlib
import subprocess
import sys

import pytest

from tdebug.pipeline_checks import training


def test_the_public_names_are_these():
    assert sorted(training.__all__) == training.__all__ == sorted(training._HOMES)
    assert {"CallbackHandler", "TrainerCallback", "IntervalStrategy", "set_seed"} <= set(
        training.__all__
    )


@pytest.mark.parametrize("name", training.__all__)
def test_every_public_name_is_where_it_is_said_to_be(name):
    home = importlib.import_module(f"tdebug.pipeline_checks.training.{training._HOMES[name]}")
    assert getattr(training, name) is getattr(home, name)


def test_an_unknown_name_is_refused():
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        training.nothing  # noqa: B018 - asking for it is the test


def test_what_needs_no_torch_is_had_without_it():
    code = (
        "import sys\n"
        "from tdebug.pipeline_checks.training import (\n"
        "    CallbackHandler, DefaultFlowCallback, IntervalStrategy, LoopArguments, Prediction,\n"
        "    RngState, TrainerCallback, TrainerControl, TrainerState, preserved_rng_state,\n"
        "    enable_full_determinism, set_seed, find_label_names, predict_dict)\n"
        "with preserved_rng_state(): pass\n"
        "assert not {'torch', 'numpy', 'transformers'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_no_public_name_is_hidden_by_a_file_of_that_name():
    assert not set(training._HOMES) & set(training._HOMES.values())
