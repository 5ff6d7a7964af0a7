"""Loops, loaders and trainers of all kinds are trained as they are."""

import pytest

from tdebug.pipeline_checks.checks.origins import operator_name
from tdebug.pipeline_checks.walk import SpecMistakesError

pytestmark = pytest.mark.filterwarnings("default")  # the pipelines are the user's

GAN = """
import torch
from torch import nn

CONFIG = {{"batch_size": 4}}

def build_dataset():
    return [torch.randn(3) for _ in range(16)]

class Gan(nn.Module):
    def __init__(self):
        super().__init__()
        self.generator = nn.Sequential(nn.Linear(2, 3), nn.Tanh())
        self.critic = nn.Linear(3, 1)

def build_model():
    return Gan()

def build_optimizer(model):
    return [torch.optim.SGD(part.parameters(), lr=0.1) for part in (model.generator, model.critic)]

def train_step(model, batch, optimizer, state):
    state["steps"] = state.get("steps", -1) + 1
    for part, sign in zip(optimizer, (1, -1)):
        fake = model.generator(torch.randn(len(batch), 2))
        {body}
        loss = sign * model.critic(fake).mean()
        part.zero_grad()
        loss.backward()
        part.step()
    return loss
"""


def test_the_forwards_of_a_gans_step_are_one_batch(train):
    outcome, frames = train(GAN.format(body="pass"), alone=True, batches=(1,))

    assert (outcome.exit_code, outcome.facts.num_batches, outcome.facts.num_steps) == (0, 4, 4)
    names = [frame.module for frame in frames[0].frames]
    assert (frames[0].batch, names.count("critic"), names.count("generator.0")) == (1, 2, 2)


def test_a_nan_in_a_part_that_is_called_by_itself_is_told(train):
    body = 'fake = fake / (0 if state["steps"] == 2 else 1)'
    outcome, _ = train(GAN.format(body=body), alone=True)

    found = outcome.facts.detection
    assert (found.batch, found.where) == (2, "input[0], output of 'critic' (Linear)")
    assert found.origin is not None


def test_forwards_without_gradients_are_checked_and_are_no_batch(train):
    outcome, _ = train(
        """
        def train_step(model, batch, optimizer, state):
            loss = nn.functional.cross_entropy(model(batch[0]), batch[1])
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            state["seen"] = state.get("seen", 0) + 1
            with torch.no_grad():
                for _ in range(3):
                    model(batch[0] * (float("inf") if state["seen"] == 2 else 1))
            return loss.item()
        """
    )

    assert (outcome.facts.detection.batch, outcome.facts.num_batches) == (1, 2)
    assert outcome.facts.losses[0][1] > 0


def test_a_loop_that_catches_everything_does_not_hide_the_nan(train):
    outcome, _ = train(
        """
        def train_step(model, batch, optimizer, state):
            try:
                nn.functional.cross_entropy(model(batch[0] / 0), batch[1]).backward()
            except Exception:
                return 0.0
        """
    )

    assert (outcome.facts.ended_by, outcome.facts.detection.batch) == ("detection", 0)


def test_a_stream_without_a_length_is_trained_to_its_end(train):
    outcome, _ = train(
        """
        class Stream(torch.utils.data.IterableDataset):
            def __iter__(self):
                return ((torch.randn(3), number % 2) for number in range(10))
        def build_dataset():
            return Stream()
        """
    )

    assert (outcome.exit_code, outcome.facts.num_batches, outcome.facts.ended_by) == (0, 3, "done")


def test_a_trainer_is_trained_with_its_clipping_and_accumulation(train):
    outcome, frames = train(
        """
        import torch
        from transformers import BertConfig, BertForSequenceClassification, Trainer
        from transformers import TrainingArguments

        def build_trainer():
            config = BertConfig(vocab_size=30, hidden_size=16, num_hidden_layers=1,
                                num_attention_heads=2, intermediate_size=16)
            data = [{"input_ids": list(range(5)), "labels": number % 2} for number in range(16)]
            arguments = TrainingArguments(
                "out", per_device_train_batch_size=2, gradient_accumulation_steps=3,
                max_grad_norm=0.5, report_to=[], use_cpu=True)
            return Trainer(BertForSequenceClassification(config), arguments, train_dataset=data)
        """,
        alone=True,
        batches=(7,),
    )

    facts = outcome.facts
    assert (outcome.exit_code, facts.num_batches, facts.num_steps) == (0, 8, 3)
    assert "bert.encoder.layer.0" in {frame.module for frame in frames[0].frames}


LIGHTNING = """
import lightning, torch
from torch import nn

CONFIG = {{"batch_size": 4}}

class Module(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(3, 2)
        self.automatic_optimization = {automatic}
    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)
    def training_step(self, batch, number):
        self.log("batch", number)
        loss = nn.functional.cross_entropy(self.net(batch[0]) / (3 - number), batch[1])
        if not self.automatic_optimization:
            self.optimizers().zero_grad()
            self.manual_backward(loss)
            self.optimizers().step()
        return loss

def build_model():
    return Module()

def build_dataset():
    return [(torch.randn(3), number % 2) for number in range(24)]
"""


@pytest.mark.parametrize("automatic", [True, False])
def test_a_lightning_module_is_trained_and_its_bad_loss_told(train, automatic):
    outcome, _ = train(LIGHTNING.format(automatic=automatic), alone=True)

    found = outcome.facts.detection
    assert (found.batch, outcome.facts.num_batches) == (3, 4)
    assert found.stage == ("loss" if automatic else "gradients")
    assert (found.origin.operator, found.note) == ("div", "")


def test_a_device_that_is_not_there_is_said_and_the_cpu_used(train):
    outcome, _ = train(settings={"device": "cuda:77"}, max_batches=1)

    assert (outcome.exit_code, outcome.facts.device) == (0, "cpu")
    assert "this machine has no device 'cuda:77': the CPU was used." in outcome.report.notes


COMPILED = {
    "by torch.compile": "torch.compile(model, backend='eager')",
    "by Module.compile": "model.compile(backend='eager') or model",
    "in a part": "model.__setitem__(0, torch.compile(model[0], backend='eager')) or model",
}


@pytest.mark.parametrize("how", COMPILED)
def test_a_compiled_model_is_watched_as_the_python_that_it_was_made_from(train, how):
    outcome, frames = train(
        f"""
        def build_model():
            model = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))
            return {COMPILED[how]}
        """,
        batches=(0,),
        max_batches=2,
    )

    assert (outcome.exit_code, outcome.facts.num_steps) == (0, 2)
    assert {frame.module for frame in frames[0].frames} >= {"", "1", "2"}


def test_a_scripted_model_is_refused_with_a_sentence(train):
    with pytest.raises(SpecMistakesError, match=r"Pass the model as it was before torch\.jit"):
        train("def build_model():\n    return torch.jit.trace(nn.Linear(3, 2), torch.ones(1, 3))\n")


LOOP = """
    def train_step(model, batch, optimizer, state):
        x, y = batch
        state["n"] = state.get("n", -1) + 1
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss = {loss}
        {back}
        return loss
"""
LOSSES = {
    "div": ("loss / (0 if state['n'] == 2 else 1)", "loss.backward(); optimizer.step()"),
    "sqrt": (
        "((loss - loss) * 1 if state['n'] == 2 else loss).sqrt()",
        "loss.backward(); optimizer.step()",
    ),
    "log": (
        "(loss * (state['n'] != 2)).log()",
        "loss.isfinite() and (loss.backward(), optimizer.step())",
    ),
}


@pytest.mark.parametrize("operator", LOSSES)
def test_where_the_loss_of_an_own_loop_goes_bad_is_told(train, operator):
    loss, back = LOSSES[operator]
    outcome, _ = train(LOOP.format(loss=loss, back=back))

    found = outcome.facts.detection
    assert (found.batch, found.stage) == (2, "loss" if operator == "log" else "gradients")
    assert operator_name(found.origin) == operator
    assert found.origin.location.code == f"loss = {loss}"
    assert not found.note
