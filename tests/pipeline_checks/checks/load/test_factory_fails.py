from tdebug.pipeline_checks.checks.load.factory_fails import factory_fails
from tdebug.pipeline_checks.facts import ExceptionFact, LoadFacts, ModelFacts
from tdebug.pipeline_checks.facts.load import PartFact, RefusedTrainer
from tdebug.pipeline_checks.facts.model import ParameterFact
from tdebug.pipeline_checks.report import Location

KEY = ExceptionFact(
    "KeyError", "'width'", ("KeyError",), user_frames=(Location("train.py", 9, "build_model"),)
)
EMPTY = ExceptionFact("ValueError", "optimizer got an empty parameter list", ("ValueError",))
WEIGHT = ParameterFact("weight", (2, 2), "float32", "cpu", requires_grad=True)


def failing(name, error):
    return LoadFacts(parts=(PartFact(name, f"build_{name}() of train.py", error=error),))


def test_the_factory_its_exception_and_the_line_are_named():
    [problem] = factory_fails(failing("model", KEY), None)

    assert problem.message == "build_model() of train.py raised KeyError: 'width'"
    assert problem.location == Location("train.py", 9, "build_model")
    assert problem.where == "the model"


def test_every_part_that_fails_is_reported():
    parts = (PartFact("model", "build_model()", error=KEY), PartFact("loss", error=KEY))

    problems = list(factory_fails(LoadFacts(parts=parts), None))

    assert [p.values["part"] for p in problems] == ["model", "loss"]
    assert problems[1].message.startswith("building the loss raised")


def test_an_optimizer_refused_for_an_empty_model_is_left_to_that_check():
    assert not list(factory_fails(failing("optimizer", EMPTY), ModelFacts("Vae")))


def test_an_optimizer_that_fails_over_a_real_model_is_reported():
    model = ModelFacts("Net", parameters=(WEIGHT,))

    assert list(factory_fails(failing("optimizer", EMPTY), model))


def test_a_trainer_refused_for_want_of_a_length_is_left_to_that_check():
    frames = (Location("transformers/trainer.py", 600, "__init__"),)
    error = ExceptionFact("ValueError", "...", ("ValueError",), frames=frames)
    part = PartFact("trainer", error=error)
    refused = RefusedTrainer("Stream", has_length=False, max_steps=-1, num_epochs=3.0)

    assert not list(factory_fails(LoadFacts(parts=(part,), refused_trainer=refused), None))


def test_parts_that_were_built_are_no_problem():
    assert not list(factory_fails(LoadFacts(parts=(PartFact("model", type="Net"),)), None))


def test_a_layer_that_is_set_before_super_init_is_explained():
    line = Location("train.py", 9, "__init__", "self.l = nn.Linear(4, 3)")
    frames = (line, Location("torch/nn/modules/module.py", 1990, "__setattr__"))
    error = ExceptionFact("AttributeError", "cannot assign", ("AttributeError",), frames, (line,))

    [problem] = factory_fails(failing("model", error), None)

    assert "super().__init__() first" in problem.hint


def test_a_sampler_of_an_empty_dataset_is_explained():
    frames = (Location("torch/utils/data/sampler.py", 149, "__init__"),)
    text = "num_samples should be a positive integer value, but got num_samples=0"
    error = ExceptionFact("ValueError", text, ("ValueError",), frames)

    [problem] = factory_fails(failing("dataloader", error), None)

    assert "the dataset is empty (0 samples)" in problem.hint


def raised(text, code):
    place = Location("train.py", 9, "build_optimizer", code)
    return ExceptionFact("TypeError", text, ("TypeError",), user_frames=(place,))


def test_parameters_without_their_parentheses_are_named():
    error = raised("'method' object is not iterable", "return Adam(net.parameters, lr=1e-3)")

    [problem] = factory_fails(failing("optimizer", error), None)

    assert problem.message.endswith("is not iterable: net.parameters is given without a call.")
    assert "parentheses" in problem.hint


def test_a_number_that_came_as_text_is_named():
    error = raised("'<=' not supported between instances of 'float' and 'str'", "Adam(p, lr=LR)")

    [problem] = factory_fails(failing("optimizer", error), None)

    assert problem.message.endswith("'float' and 'str': a text is given for a number.")
    assert "YAML reads 1e-3 as text" in problem.hint


def test_another_type_error_is_told_as_it_is():
    error = raised("unhashable type: 'list'", "return {[1]: 2}")

    [problem] = factory_fails(failing("optimizer", error), None)

    assert problem.message.endswith("TypeError: unhashable type: 'list'")
