import pytest

from tdebug.pipeline_checks.pipeline.resolve import ImportFailedError, UnknownReferenceError
from tdebug.pipeline_checks.pipeline.sources import FactoryFailedError, gather_sources
from tdebug.pipeline_checks.spec import load_spec

pytestmark = pytest.mark.filterwarnings("default")  # what transformers warns of is its own


@pytest.fixture
def gather(write, session):
    def read(text, train="", name="spec.yaml"):
        write("train.py", train)
        return gather_sources(load_spec(str(write(name, text))).for_worker(), session)

    return read


def test_a_file_gives_the_factories_that_it_defines(gather):
    sources = gather("pipeline: train.py\n", "def build_model(): pass\ndef build_loss(): pass\n")

    assert set(sources.recipes) == {"model", "loss"}


def test_parts_of_the_spec_override_those_of_the_file(gather):
    sources = gather("pipeline: train.py\nloss: torch.nn:MSELoss\n",
                     "def build_model(): pass\ndef build_loss(): pass\n")  # fmt: skip

    assert sources.recipes["loss"].is_of_spec
    assert sources.recipes["loss"].location.line == 2
    assert not sources.recipes["model"].is_of_spec


def test_a_factory_of_a_dict_gives_its_parts(gather):
    code = "def build(): return {'model': 1, 'loss': None, 'width': 3}\n"

    sources = gather("pipeline: train.py:build\n", code)

    assert set(sources.recipes) == {"model"}
    assert sources.recipes["model"].make({}) == 1
    assert sources.recipes["model"].origin == "build() of train.py"
    assert sources.recipes["model"].location.line == 1


def test_a_dict_is_taken_as_it_is(gather, write):
    write("parts_as_dict.py", "PARTS = {'model': 1}\n")

    assert set(gather("pipeline: parts_as_dict:PARTS\n").recipes) == {"model"}


def test_a_factory_of_a_lightning_module_gives_the_model(gather):
    code = "import lightning.pytorch as pl\nclass Net(pl.LightningModule):\n    pass\n"

    assert set(gather("pipeline: train.py:Net\n", code).recipes) == {"model"}


TRAINER = """
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments

def build():
    config = BertConfig(hidden_size=8, num_hidden_layers=1, num_attention_heads=2, vocab_size=9,
                        intermediate_size=8)
    return Trainer(BertForSequenceClassification(config),
                   TrainingArguments("{folder}", use_cpu=True, report_to=[]))

def build_tokenizer(): return "known"
def build_model(): raise AssertionError("nothing but what stands beside a Trainer is asked")
"""


def test_a_factory_of_a_trainer_gives_it_and_what_may_stand_beside_it(gather, tmp_path):
    sources = gather("pipeline: train.py:build\n", TRAINER.replace("{folder}", str(tmp_path)))

    assert set(sources.recipes) == {"trainer", "tokenizer"}


def test_config_fills_what_the_spec_leaves_open(gather):
    code = "CONFIG = {'batch_size': 3, 'seed': 7, 'samples': 9}\ndef build_model(): pass\n"

    spec = gather("pipeline: train.py\nseed: 1\n", code).spec

    assert (spec.loader.batch_size, spec.seed, spec.samples) == (3, 1, 9)
    assert "loader.batch_size" in spec.given


def test_a_wrong_config_is_a_mistake_with_its_file(gather):
    code = "CONFIG = {'batch_size': 'many', 'sed': 7}\ndef build_model(): pass\n"

    mistakes = gather("pipeline: train.py\n", code).mistakes

    assert len(mistakes) == 2
    assert {mistake.file for mistake in mistakes} == {"train.py"}


def test_a_file_without_any_factory_is_a_mistake_with_what_is_looked_for(gather):
    with pytest.raises(UnknownReferenceError, match="defines no part of a pipeline") as caught:
        gather("pipeline: train.py\n", "def build_modl(): pass\n")

    assert "build_model" in caught.value.remedy
    assert caught.value.line == 1


def test_a_factory_that_gives_nothing_of_use_is_a_mistake(gather):
    with pytest.raises(UnknownReferenceError, match=r"build\(\) of train\.py gives a int"):
        gather("pipeline: train.py:build\n", "def build(): return 3\n")


def test_a_factory_that_raises_is_told_apart_from_a_module_that_does(gather):
    with pytest.raises(FactoryFailedError) as caught:
        gather("pipeline: train.py:build\n", "def build(): return 1 / 0\n")
    with pytest.raises(ImportFailedError):
        gather("pipeline: train.py:build\n", "1 / 0\n")

    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    assert caught.value.origin == "build() of train.py"
    assert caught.value.location.line == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("pipeline: trian.py\n", "there is no file"),
        ("pipeline: train.py:biuld\n", "'train.py' has no 'biuld'"),
        ("pipeline: nowhere.at_all:build\n", "there is no module"),
    ],
)
def test_what_is_not_there_is_told(gather, text, message):
    with pytest.raises(UnknownReferenceError, match=message):
        gather(text, "def build(): pass\n")
