import numpy as np
import pytest
import torch
from torch import nn

from tdebug.pipeline_checks.training import (
    Evaluation,
    LoopArguments,
    Prediction,
    TrainerCallback,
    TrainingLoop,
    TrainingParts,
    evaluation_loop,
    predict_dict,
    predict_pair,
)


def predict_as_it_is(model, batch):
    return Prediction(None, batch, batch)


def evaluate(batches, predict=predict_as_it_is, model=None, **options):
    evaluation = Evaluation(lambda: batches, predict, **options)
    return evaluation_loop(model or nn.Identity(), evaluation)


def test_uneven_lengths_are_padded_and_samples_stay_in_order():
    batches = [torch.full((2, 3), 1), torch.full((2, 5), 2), torch.full((1, 1), 3)]
    output = evaluate(batches)
    assert output.num_samples == 5
    assert output.predictions.tolist() == [
        [1, 1, 1, -100, -100],
        [1, 1, 1, -100, -100],
        [2, 2, 2, 2, 2],
        [2, 2, 2, 2, 2],
        [3, -100, -100, -100, -100],
    ]


@pytest.mark.parametrize("num", range(1, 10))
def test_any_number_of_batches_is_put_together_in_order(num):
    output = evaluate([torch.tensor([n]) for n in range(num)])
    assert output.predictions.tolist() == list(range(num))


def test_nested_outputs_keep_their_structure():
    batch = {"a": torch.zeros(2), "b": (torch.ones(2, 1, dtype=torch.bfloat16),)}
    output = evaluate([batch, batch])
    assert output.predictions["a"].shape == (4,)
    assert output.predictions["b"][0].dtype == np.float32


def test_metrics_get_numpy_arrays_and_come_back_prefixed_as_numbers():
    seen = []

    def compute_metrics(prediction):
        predictions, labels, inputs, losses = prediction
        seen.append((type(predictions), type(labels), inputs.shape, losses.tolist()))
        return {"accuracy": np.float32(0.5), "eval_all": [np.int64(1)], "t": torch.tensor(2)}

    model = nn.Linear(3, 2)
    batches = [(torch.ones(n, 3), torch.zeros(n, dtype=torch.long)) for n in (4, 2)]
    output = evaluate(
        batches,
        lambda model, batch: predict_pair(model, batch, nn.functional.cross_entropy),
        model,
        compute_metrics=compute_metrics,
        include_for_metrics=("inputs", "loss"),
    )
    ((predictions, labels, inputs_shape, losses),) = seen
    assert (predictions, labels, inputs_shape) == (np.ndarray, np.ndarray, (6, 3))
    assert len(losses) == 6
    assert output.metrics == {
        "eval_accuracy": 0.5,
        "eval_all": [1],
        "eval_t": 2,
        "eval_loss": pytest.approx(losses[0]),
    }
    assert type(output.metrics["eval_accuracy"]) is float


def test_the_loss_is_the_mean_over_samples_and_not_over_batches():
    def predict(model, batch):
        return Prediction(batch[0], batch, batch)

    output = evaluate([torch.tensor([1.0, 1, 1]), torch.tensor([5.0])], predict)
    assert output.metrics == {"eval_loss": 2.0}
    assert output.losses.tolist() == [1, 1, 1, 5]


def test_a_loss_that_is_nan_is_told():
    output = evaluate(
        [torch.tensor([1.0]), torch.tensor([torch.nan])],
        lambda model, batch: Prediction(batch[0], batch, batch),
    )
    assert np.isnan(output.metrics["eval_loss"])


def test_a_result_that_is_no_dict_is_refused():
    with pytest.raises(TypeError, match="must return a dict of metrics, it returned a float"):
        evaluate([torch.ones(1)], compute_metrics=lambda prediction: 0.5)


def test_without_labels_no_metrics_are_computed():
    output = evaluate(
        [torch.ones(1)],
        lambda model, batch: Prediction(None, batch, None),
        compute_metrics=lambda prediction: 1 / 0,
    )
    assert (output.metrics, output.label_ids) == ({}, None)


def test_a_limit_of_batches_is_kept_and_no_batches_give_nothing():
    assert evaluate([torch.ones(2)] * 5, max_batches=2).num_samples == 4
    assert evaluate([]).predictions is None


def test_the_model_is_in_evaluation_mode_without_gradients_and_put_back():
    model = nn.Sequential(nn.Dropout(0.5), nn.BatchNorm1d(2))
    model[1].eval()  # frozen, as people do with pretrained backbones
    seen = []

    def predict(model, batch):
        seen.append((model.training, model[0].training, torch.is_grad_enabled()))
        return Prediction(None, model(batch), None)

    evaluate([torch.ones(2, 2)], predict, model)
    assert seen == [(False, False, False)]
    assert (model.training, model[0].training, model[1].training) == (True, True, False)
    with pytest.raises(KeyError):
        evaluate([torch.ones(2, 2)], lambda model, batch: {}["mine"], model)
    assert model.training


def test_evaluations_run_in_training_when_the_strategy_says():
    model, events = nn.Linear(2, 2), []

    class Note(TrainerCallback):
        def on_prediction_step(self, args, state, control, eval_dataloader, **kwargs):
            events.append("prediction_step")

        def on_evaluate(self, args, state, control, metrics, **kwargs):
            events.append((state.global_step, sorted(metrics)))

    optimizer = torch.optim.SGD(model.parameters(), lr=0.0)
    scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=0)
    batches = [(torch.ones(2, 2), torch.zeros(2, dtype=torch.long))] * 4
    loss = nn.functional.cross_entropy
    parts = TrainingParts(
        model,
        lambda: batches,
        optimizer,
        forward_loss=lambda batch: loss(model(batch[0]), batch[1]),
        scheduler=scheduler,
        evaluation=Evaluation(
            lambda: batches[:2], lambda model, batch: predict_pair(model, batch, loss)
        ),
    )
    TrainingLoop(parts, LoopArguments(eval_strategy="steps", eval_steps=3), [Note]).run()
    twice = ["prediction_step"] * 2
    assert events == [*twice, (3, ["eval_loss"]), *twice, (4, ["eval_loss"])]
    assert scheduler.last_epoch == 2
    assert scheduler.num_bad_epochs in (0, 1)


class Pair(nn.Module):
    def __init__(self, *outputs):
        super().__init__()
        self.outputs = outputs

    def forward(self, x, labels=None):
        return self.outputs


def test_a_model_that_returns_a_tuple_has_its_loss_first():
    batch = {"x": torch.ones(2), "labels": torch.zeros(2)}
    prediction = predict_dict(Pair(torch.tensor(3.0), torch.ones(2)), batch)
    assert prediction.loss == 3
    assert prediction.predictions.tolist() == [1, 1]
    prediction = predict_dict(Pair(torch.ones(2)), {"x": torch.ones(2)})
    assert (prediction.loss, prediction.label_ids) == (None, None)
    assert prediction.predictions.tolist() == [1, 1]
