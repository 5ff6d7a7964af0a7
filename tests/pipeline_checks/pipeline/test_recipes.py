import pytest
import torch
from torch import nn

from tdebug.pipeline_checks.pipeline.recipes import (
    MissingPartError,
    recipe_of_spec,
    recipes_of_module,
)
from tdebug.pipeline_checks.pipeline.resolve import import_file
from tdebug.pipeline_checks.spec.parts import Call, Reference

EMPTY = dict.fromkeys(("model", "dataset", "tokenizer", "optimizer", "loss"))


def make(name, part, folder, **parts):
    return recipe_of_spec(name, part, folder, None).make({**EMPTY, **parts})


@pytest.fixture
def recipes(write, session):
    def read(code):
        return recipes_of_module(import_file(write("train.py", code)), "train.py", session)

    return read


def test_factories_are_found_by_name_and_others_are_left_alone(recipes):
    found = recipes(
        "build_modle = 1\nbuild_loss = 'no function'\n"
        "def build_model():\n    return 1\n"
        "def compute_loss(model, batch):\n    return 2\n"
        "def helper():\n    return 3\n"
    )

    assert set(found) == {"model", "compute_loss"}
    assert found["model"].make({}) == 1
    assert found["compute_loss"].make({})(None, None) == 2
    assert found["model"].origin == "build_model() of train.py"
    assert found["compute_loss"].origin == "compute_loss of train.py"
    assert (found["model"].location.line, found["model"].is_of_spec) == (3, False)


def test_a_factory_gets_the_parts_that_its_parameters_are_named_after(recipes):
    found = recipes("def build_collate_fn(tokenizer, dataset):\n    return tokenizer, dataset\n")

    made = found["collate_fn"].make({**EMPTY, "tokenizer": "t", "dataset": "d"})

    assert made == ("t", "d")


def test_keyword_only_and_default_parameters_are_heeded(recipes):
    found = recipes("def build_model(size=3, *, tokenizer=None):\n    return size, tokenizer\n")

    assert found["model"].make({**EMPTY, "tokenizer": "t"}) == (3, "t")
    assert found["model"].make(EMPTY) == (3, None)


@pytest.mark.parametrize("name", ["model", "net"])
def test_the_first_parameter_of_an_optimizer_is_the_model_whatever_its_name(recipes, name):
    found = recipes(f"def build_optimizer({name}):\n    return {name}\n")

    assert found["optimizer"].make({**EMPTY, "model": "m"}) == "m"


def test_a_scheduler_gets_the_optimizer(recipes):
    found = recipes("def build_scheduler(opt):\n    return opt\n")

    assert found["scheduler"].make({**EMPTY, "optimizer": "o"}) == "o"


@pytest.mark.parametrize(
    ("code", "part", "missing"),
    [
        ("def build_optimizer(model):\n    pass\n", "optimizer", "model"),
        ("def build_scheduler(opt):\n    pass\n", "scheduler", "optimizer"),
        ("def build_collate_fn(tokenizer):\n    pass\n", "collate_fn", "tokenizer"),
    ],
)
def test_a_part_that_is_asked_for_and_not_there_is_named(recipes, code, part, missing):
    with pytest.raises(MissingPartError) as caught:
        recipes(code)[part].make(EMPTY)

    assert caught.value.name == missing


def test_a_parameter_that_is_no_part_is_left_to_python(recipes):
    found = recipes("def build_model(width):\n    pass\n")

    with pytest.raises(TypeError, match="width"):
        found["model"].make(EMPTY)


def test_a_class_is_instantiated_and_a_function_called(tmp_path):
    assert isinstance(make("model", Reference("torch.nn:Identity"), tmp_path), nn.Identity)
    assert make("dataset", Reference("builtins:dict"), tmp_path) == {}


def test_functions_that_are_called_by_the_loop_are_taken_as_they_are(tmp_path):
    taken = make("collate_fn", Reference("torch.utils.data:default_collate"), tmp_path)

    assert taken is torch.utils.data.default_collate
    assert isinstance(make("loss", Reference("torch.nn:MSELoss"), tmp_path), nn.MSELoss)


def test_an_instance_is_taken_as_it_is(write, tmp_path):
    write("parts.py", "rows = [1, 2, 3]\n")

    assert make("dataset", Reference("parts.py:rows"), tmp_path) == [1, 2, 3]


def test_a_target_gets_its_arguments_and_nested_targets_are_built_first(tmp_path):
    inner = Call(Reference("torch.nn:Linear"), {"in_features": 2, "out_features": 3})
    outer = Call(
        Reference("torch.nn:Sequential"), {}, (inner, Call(Reference("torch.nn:ReLU"), {}))
    )

    model = make("model", outer, tmp_path)

    assert [type(layer).__name__ for layer in model] == ["Linear", "ReLU"]


def test_lists_dicts_and_references_inside_arguments_are_built(tmp_path):
    part = Call(
        Reference("builtins:dict"),
        {"layers": [Call(Reference("torch.nn:ReLU"), {})], "options": {"kind": 3}},
    )

    made = make("model", part, tmp_path)

    assert isinstance(made["layers"][0], nn.ReLU)
    assert made["options"] == {"kind": 3}


def test_an_optimizer_of_the_spec_gets_the_models_parameters_first(tmp_path):
    model = nn.Linear(2, 2)
    part = Call(Reference("torch.optim:SGD"), {"lr": 0.5})

    optimizer = make("optimizer", part, tmp_path, model=model)

    assert optimizer.param_groups[0]["params"][0] is model.weight


def test_a_scheduler_of_the_spec_gets_the_optimizer(tmp_path):
    optimizer = torch.optim.SGD(nn.Linear(2, 2).parameters(), lr=0.5)
    part = Call(Reference("torch.optim.lr_scheduler:StepLR"), {"step_size": 3})

    assert make("scheduler", part, tmp_path, optimizer=optimizer).optimizer is optimizer


def test_an_optimizer_of_the_spec_without_a_model_waits_for_it(tmp_path):
    with pytest.raises(MissingPartError):
        make("optimizer", Reference("torch.optim:SGD"), tmp_path)
