"""The pipelines in plain torch are healthy: they are what a false alarm would be raised on."""

import importlib

import pytest
import torch


@pytest.fixture
def digits():
    return importlib.import_module("digits_pipeline")


@pytest.fixture
def diabetes():
    return importlib.import_module("diabetes_pipeline")


def test_the_digits_reach_more_than_90_percent(digits):
    torch.manual_seed(digits.CONFIG["seed"])
    classifier = digits.build_model()

    digits.train(classifier, num_epochs=2)

    assert digits.measure_accuracy(classifier) > 0.9


def test_the_digits_are_normalized_images_with_integer_labels(digits):
    image, digit = digits.build_dataset()[0]
    images, labels = digits.build_dataset().tensors

    assert (image.shape, image.dtype, digit.dtype) == ((1, 8, 8), torch.float32, torch.int64)
    assert labels.unique().tolist() == list(range(10))
    assert images.mean().item() == pytest.approx(0, abs=1e-3)
    assert images.std().item() == pytest.approx(1, abs=1e-3)


def test_the_regression_explains_a_fair_part_of_the_target(diabetes):
    torch.manual_seed(42)
    regressor = diabetes.ProgressionRegressor()

    diabetes.train(regressor)

    assert diabetes.r_squared(regressor) > 0.2  # least squares reaches about 0.35 on this split


def test_the_regression_predicts_in_the_shape_of_its_target(diabetes):
    features, target = diabetes.train_set()[:8]

    prediction = diabetes.ProgressionRegressor()(features)

    assert prediction.shape == target.shape == (8, 1)
    assert features.dtype == target.dtype == torch.float32


@pytest.mark.parametrize(
    ("module", "splits"),
    [("digits_pipeline", "split_digits"), ("diabetes_pipeline", "split_patients")],
)
def test_no_sample_is_there_twice(module, splits):
    training, validation = getattr(importlib.import_module(module), splits)()

    rows = [x.numpy().tobytes() for dataset in (training, validation) for x in dataset.tensors[0]]

    assert len(set(rows)) == len(rows)
