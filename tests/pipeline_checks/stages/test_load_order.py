"""Parts are built in the order in which they ask for each other."""

import pytest

from tdebug.pipeline_checks import check_pipeline
from tdebug.pipeline_checks.walk import SpecMistakesError

START = "import torch\n"
DATA = "def build_dataset(): return [(torch.randn(2), n % 2) for n in range(16)]\n"
LOSS = "def build_loss(): return torch.nn.CrossEntropyLoss()\n"
MODEL = "def build_model(): return torch.nn.Linear(2, 2)\n"


@pytest.fixture
def check(tmp_path):
    def check_code(code):
        file = tmp_path / "train_in_order.py"
        file.write_text(START + code)
        return check_pipeline(str(file))

    return check_code


def test_a_model_may_ask_for_the_dataset(check):
    model = "def build_model(dataset): return torch.nn.Linear(dataset[0][0].numel(), 2)\n"

    report = check(model + DATA + LOSS)

    assert report.exit_code() == 0
    assert report.stages[0].summary == "dataset, model, loss built"


def test_what_nothing_gives_is_told(check):
    collate = "def build_collate_fn(tokenizer): return tokenizer\n"

    [found] = check(MODEL + DATA + LOSS + collate).findings

    assert found.name == "factory-fails"
    assert "it asks for 'tokenizer', and nothing gives one" in found.message


def test_two_that_ask_for_each_other_end(check):
    loop = "def build_model(dataset): return 1\ndef build_dataset(model): return 1\n"

    with pytest.raises(SpecMistakesError):
        check(loop)


def test_a_part_that_needs_a_failed_one_is_not_blamed(check):
    code = (
        "def build_model(): return 1 / 0\n"
        "def build_optimizer(model): return torch.optim.SGD(model.parameters(), lr=0.1)\n"
    )

    findings = check(code + DATA + LOSS).findings

    assert [found.values["part"] for found in findings] == ["model"]


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        (DATA, "no model is given"),
        (MODEL + LOSS, "neither a dataset nor a loader is given"),
    ],
)
def test_a_part_that_is_needed_and_not_given_is_a_mistake(check, code, sentence):
    with pytest.raises(SpecMistakesError, match=sentence):
        check(code)


def test_what_a_factory_of_all_parts_builds_is_seeded_too(tmp_path):
    weights = tmp_path / "weights.txt"
    (tmp_path / "all_at_once.py").write_text(
        START + DATA + MODEL + LOSS + "def build():\n"
        "    model = build_model()\n"
        f"    with open({str(weights)!r}, 'a') as file:\n"
        "        print(model.weight.tolist(), file=file)\n"
        "    return {'model': model, 'dataset': build_dataset(), 'loss': build_loss()}\n"
    )
    spec = tmp_path / "spec.yaml"
    spec.write_text("pipeline: all_at_once.py:build\nseed: 5\n")

    for _ in range(2):
        check_pipeline(str(spec))

    first, second = weights.read_text().splitlines()
    assert first == second
