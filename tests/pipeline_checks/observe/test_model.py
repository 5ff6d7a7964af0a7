"""What is read off models, real ones of transformers from tiny configs among them."""

import pytest
import torch
from torch import nn
from transformers import (
    BartConfig,
    BartForConditionalGeneration,
    BertConfig,
    BertForSequenceClassification,
    BertForTokenClassification,
    BertModel,
    GPT2Config,
    GPT2LMHeadModel,
    RobertaConfig,
    RobertaForSequenceClassification,
    T5Config,
    T5ForConditionalGeneration,
)

from tdebug.pipeline_checks.observe.model import definition_of, look_at_model, signature_of

SIZES = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2,
         "intermediate_size": 16, "vocab_size": 50}  # fmt: skip


def bert(kind=BertForSequenceClassification, **more):
    return kind(BertConfig(**SIZES, max_position_embeddings=24, **more))


@pytest.fixture
def look(code):
    return lambda model: look_at_model(model, code)


def test_a_bert_classifier_tells_classes_length_and_vocabulary(look):
    facts = look(bert(num_labels=3))

    assert (facts.is_transformers, facts.main_input, facts.has_head) == (True, "input_ids", True)
    assert (facts.num_classes, facts.num_classes_from) == (3, "config.num_labels")
    assert (facts.max_length, facts.token_rows) == (24, 50)
    assert facts.max_length_from == "bert.embeddings.position_embeddings has 24 rows"
    assert facts.token_embedding == "bert.embeddings.word_embeddings"  # noqa: S105 - tokens of text
    assert facts.config["type_vocab_size"] == 2


def test_a_roberta_counts_its_positions_from_after_the_padding(look):
    config = RobertaConfig(**SIZES, max_position_embeddings=26, pad_token_id=1)

    facts = look(RobertaForSequenceClassification(config))

    assert (facts.max_length, facts.num_classes) == (24, 2)
    assert facts.max_length_from.endswith("has 26 rows and counts from 2")


def test_a_gpt2_tells_its_positions(look):
    facts = look(GPT2LMHeadModel(GPT2Config(n_embd=16, n_layer=1, n_head=2, n_positions=32,
                                            vocab_size=50)))  # fmt: skip

    assert (facts.max_length, facts.token_rows, facts.num_classes) == (32, 50, None)
    assert facts.has_head


def test_a_t5_has_no_longest_sequence(look):
    facts = look(T5ForConditionalGeneration(T5Config(d_model=16, d_kv=8, d_ff=16, num_layers=1,
                                                     num_heads=2, vocab_size=50)))  # fmt: skip

    assert (facts.max_length, facts.token_rows, facts.token_embedding) == (None, 50, "shared")
    assert facts.config["is_encoder_decoder"] is True


def test_the_two_rows_that_a_bart_adds_are_no_positions(look):
    config = BartConfig(d_model=16, encoder_layers=1, decoder_layers=1, encoder_ffn_dim=16,
                        decoder_ffn_dim=16, encoder_attention_heads=2, decoder_attention_heads=2,
                        vocab_size=50, max_position_embeddings=20)  # fmt: skip

    facts = look(BartForConditionalGeneration(config))

    assert facts.max_length == 20
    assert facts.max_length_from.endswith("has 22 rows")


def test_a_bare_body_has_no_head_and_no_classes(look):
    facts = look(bert(BertModel))

    assert (facts.has_head, facts.num_classes) == (False, None)


def test_a_token_classifier_has_classes(look):
    assert look(bert(BertForTokenClassification, num_labels=5)).num_classes == 5


@pytest.mark.parametrize(
    "options",
    [
        {"num_labels": 1},
        {"num_labels": 3, "problem_type": "regression"},
        {"num_labels": 3, "problem_type": "multi_label_classification"},
    ],
)
def test_regression_and_multi_label_have_no_classes(look, options):
    assert look(bert(**options)).num_classes is None


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(30, 8, padding_idx=0)
        self.norm = nn.LayerNorm((4, 8))
        self.drop = nn.Dropout(0.25)
        self.out = nn.Linear(8, 2)

    def forward(self, ids, mask=None, *more, **options):
        return self.out(self.words(ids))


def test_a_plain_model_tells_its_layers_parameters_and_definition(look):
    model = Net()
    model.words.weight.requires_grad_(requires_grad=False)

    facts = look(model)

    assert (facts.is_transformers, facts.num_classes, facts.has_head) == (False, None, True)
    assert facts.location.code == "class Net(nn.Module):"
    sizes = {layer.name: layer.sizes for layer in facts.layers}
    assert sizes["words"]["num_embeddings"] == 30
    assert (sizes["norm"]["normalized_shape"], sizes["drop"]["p"]) == (8, 0.25)
    assert [p.name for p in facts.trainable][:1] == ["norm.weight"]
    assert facts.layers_of("Lin")[0].name == "out"


def test_the_signature_of_forward_is_told(look):
    signature = look(Net()).signature

    assert (signature.names, signature.required) == (("ids", "mask"), ("ids",))
    assert (signature.takes_any, signature.takes_more) == (True, True)


def test_what_has_no_signature_takes_anything():
    signature = signature_of(type)

    assert signature.takes_any


def test_code_of_libraries_has_no_definition_of_the_users(code):
    assert definition_of(nn.Linear, code) is None
    assert definition_of(3, code) is None


def test_lazy_parameters_are_told_without_a_shape(look):
    [weight, bias] = look(nn.LazyLinear(3)).parameters

    assert (weight.shape, bias.shape) == ((), ())


def test_tied_parameters_are_told_once(look):
    model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
    model[1].weight = model[0].weight

    assert [p.name for p in look(model).parameters] == ["0.weight", "0.bias", "1.bias"]


@pytest.mark.parametrize(
    ("held", "container", "num_entries"),
    [
        ([nn.Linear(2, 2), nn.Linear(2, 2)], "list", 2),
        ((nn.Linear(2, 2),), "tuple", 1),
        ({"a": nn.Linear(2, 2)}, "dict", 1),
        ([[nn.Linear(2, 2)], [nn.Linear(2, 2)]], "list", 2),
    ],
)
def test_modules_in_plain_containers_are_told(look, held, container, num_entries):
    model = nn.Sequential(nn.Identity())
    model[0].layers = held

    [found] = look(model).unregistered

    assert (found.path, found.container, found.num_entries) == (
        "0.layers", container, num_entries,
    )  # fmt: skip
    assert (found.types, found.num_parameters) == (("Linear",), 2 * num_entries)


def test_a_module_that_is_held_twice_counts_once(look):
    layer, model = nn.Linear(2, 2), nn.Identity()
    model.layers = [layer, layer]

    [found] = look(model).unregistered

    assert (found.num_entries, found.num_distinct, found.num_parameters) == (2, 1, 2)


def test_containers_of_registered_or_empty_modules_are_fine(look):
    model = nn.Sequential(nn.Linear(2, 2))
    model.order = [model[0], nn.ReLU()]
    model.numbers = [1, torch.ones(2)]

    assert look(model).unregistered == ()


def test_looking_changes_nothing(look):
    model = bert()
    model.eval()
    before = {name: value.clone() for name, value in model.state_dict().items()}

    facts = look(model)

    assert facts.is_training is False
    assert not model.training
    assert all(torch.equal(value, before[name]) for name, value in model.state_dict().items())
