import pytest

from tdebug.pipeline_checks.checks.dataset.constant_feature import constant_feature
from tdebug.pipeline_checks.facts import SampleFacts
from tdebug.pipeline_checks.facts.samples import FieldFact, KindCount, ShapeCount


def samples(path, value, kind="float32 tensor", shape=(3, 8, 8), **more):
    low, high = value
    num_read = more.pop("num_read", 30)
    field = FieldFact(
        path,
        (KindCount(kind, 3, num_read, 0),),
        (ShapeCount(shape, num_read, (0,)),),
        min=low,
        max=high,
    )
    return SampleFacts("Photos", num_read, num_read, fields=(field,), **more)


def test_black_images_are_found():
    [problem] = constant_feature(samples("[0]", (0.0, 0.0)))

    assert problem.message == "[0] is 0 in all of its entries, in all 30 samples."


@pytest.mark.parametrize(
    "given",
    [
        samples("[0]", (0.0, 1.0)),
        samples('["attention_mask"]', (1.0, 1.0)),
        samples('["token_type_ids"]', (0, 0), kind="int64 tensor"),
        samples('["labels"]', (0.0, 0.0)),
        samples("[1]", (0.0, 0.0)),
        samples('["bias_column"]', (1.0, 1.0)),
        samples('["t"]', (1.0, 1.0), shape=(1,)),
        samples("[0]", (0.0, 0.0), num_read=4),
        samples('["x"]', (0.0, 0.0), removed=("x",)),
    ],
)
def test_masks_labels_and_small_or_few_values_are_left_alone(given):
    assert not list(constant_feature(given))
