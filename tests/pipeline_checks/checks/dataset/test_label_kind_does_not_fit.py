import pytest

from tdebug.pipeline_checks.checks import Undecided
from tdebug.pipeline_checks.checks.dataset.label_kind_does_not_fit import label_kind_does_not_fit
from tdebug.pipeline_checks.facts import (
    BatchFacts,
    CallFacts,
    ExceptionFact,
    LoaderFacts,
    ModelFacts,
    SampleFacts,
    TrainingFacts,
)
from tdebug.pipeline_checks.facts.batches import BatchFact, FieldLengths
from tdebug.pipeline_checks.facts.calls import LossCall
from tdebug.pipeline_checks.facts.samples import FieldFact, KindCount, ShapeCount, ValueCount
from tdebug.pipeline_checks.facts.tensors import TensorFact
from tdebug.pipeline_checks.facts.training import FailureFact
from tdebug.pipeline_checks.report import Location, Severity, Stage

ERROR = ExceptionFact("RuntimeError", "x")
FAILED, GOOD = BatchFacts((BatchFact(0, error=ERROR),)), BatchFacts((BatchFact(0),))
FAILING = TrainingFacts("pair", failures=(FailureFact(Stage.FORWARD, 0, ERROR),))
NET = ModelFacts("Net")


def samples(kind, values=(), **more):
    field = FieldFact(
        '["label"]',
        (KindCount(kind, 0, 12, 0),),
        (ShapeCount((), 12, (0,)),),
        values=tuple(ValueCount(v, 6, i) for i, v in enumerate(values)),
        **more,
    )
    return SampleFacts("Rows", 12, 12, (KindCount("dict", None, 12, 0),), (field,))


def find(given, model=NET, batches=GOOD, calls=None, training=None):
    loader = LoaderFacts()
    return list(label_kind_does_not_fit(given, model, loader, batches, calls, training))


def bert(num_labels):
    return ModelFacts("BertForSequenceClassification", config={"num_labels": num_labels})


def test_class_names_that_break_the_batch_are_found():
    [problem] = find(samples("str", text="cat"), batches=FAILED)

    assert "label is text (str), for example 'cat'" in problem.message
    assert "label2id" in problem.hint


def test_class_names_wait_until_something_breaks():
    with pytest.raises(Undecided):
        find(samples("str", text="cat"))


def test_class_names_that_the_users_code_maps_are_no_problem():
    assert not find(samples("str", text="cat"), training=TrainingFacts("compute_loss"))


def test_integer_classes_with_one_label_are_regression_without_a_word():
    [problem] = find(samples("int", (0, 1)), bert(1))

    assert problem.severity is Severity.WARNING
    assert "2 integer classes" in problem.message
    assert "num_labels=2" in problem.hint


def test_float_labels_with_several_labels_are_multi_label_without_a_word():
    [problem] = find(samples("float", max=1.0), bert(2))

    assert problem.severity is None
    assert "multi-label" in problem.message


def test_float_labels_for_regression_and_integers_for_classes_are_right():
    assert not find(samples("float", max=1.5), bert(1))
    assert not find(samples("int", (0, 1)), bert(2))


def call(function, target, shape=(4, 6)):
    return CallFacts((LossCall(0, function, TensorFact(shape, "float32"), target),))


def test_float_classes_that_the_loss_refused_are_found():
    calls = call("cross_entropy", TensorFact((4,), "float32", field="[1]"))

    [problem] = find(samples("float"), calls=calls, training=FAILING)

    assert "class labels must be integers" in problem.message


def test_integer_flags_for_binary_cross_entropy_are_found():
    calls = call("binary_cross_entropy_with_logits", TensorFact((4, 6), "int64", field="[1]"))

    [problem] = find(samples("int"), calls=calls, training=FAILING)

    assert "int64" in problem.message
    assert "labels.float()" in problem.hint


def test_targets_that_are_probabilities_are_right():
    calls = call("cross_entropy", TensorFact((4, 6), "float32"))

    assert not find(samples("float"), calls=calls, training=FAILING)


def test_a_loss_that_took_its_target_is_no_problem():
    calls = call("binary_cross_entropy_with_logits", TensorFact((4, 6), "int64"))

    assert not find(samples("int"), calls=calls, training=TrainingFacts("pair"))


def test_a_collate_function_of_the_user_that_fails_elsewhere_leaves_the_class_names_alone():
    user = LoaderFacts(collate_kind="user")
    field = FieldLengths('["label"]', ("str", "str"), (None, None))

    def failed(code):
        error = ExceptionFact("TypeError", "x", user_frames=(Location("d.py", 3, "f", code),))
        return BatchFacts((BatchFact(0, error=error, fields=(field,)),))

    given = samples("str", text="cat")
    maps = failed('folders = s["path"].split("/")')
    stacks = failed('torch.tensor([s["label"] for s in batch])')
    assert not list(label_kind_does_not_fit(given, NET, user, maps, None, None))
    assert list(label_kind_does_not_fit(given, NET, user, stacks, None, None))
