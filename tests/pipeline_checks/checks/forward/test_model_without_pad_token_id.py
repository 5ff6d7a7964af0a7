from tdebug.pipeline_checks.checks.forward.model_without_pad_token_id import (
    model_without_pad_token_id,
)
from tdebug.pipeline_checks.facts import LoaderFacts, ModelFacts
from tdebug.pipeline_checks.report import Location

IN_LIBRARY = (Location("transformers/models/gpt2/modeling_gpt2.py", 1400),)


def gpt2(pad=None):
    config = {"pad_token_id": pad}
    return ModelFacts("GPT2ForSequenceClassification", is_transformers=True, config=config)


def refused(failing, error, frames=IN_LIBRARY):
    return failing(raised=error("ValueError", "Cannot handle batch sizes > 1", frames))


def test_a_missing_pad_token_id_is_found_with_the_tokenizer_s(failing, error):
    loader = LoaderFacts(pad_token_id=0, batch_size=4)
    (problem,) = model_without_pad_token_id(gpt2(), refused(failing, error), loader)
    assert "config.pad_token_id is None" in problem.message
    assert "model.config.pad_token_id = 0, the tokenizer's" in problem.hint


def test_a_config_that_has_one_is_fine(failing, error):
    assert not list(model_without_pad_token_id(gpt2(0), refused(failing, error), None))


def test_an_error_of_the_user_s_own_is_another_matter(failing, error):
    training = refused(failing, error, (Location("train.py", 3),))
    assert not list(model_without_pad_token_id(gpt2(), training, None))
