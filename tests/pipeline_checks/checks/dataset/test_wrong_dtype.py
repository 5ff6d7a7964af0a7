from tdebug.pipeline_checks.checks.dataset.wrong_dtype import wrong_dtype
from tdebug.pipeline_checks.facts import (
    BatchFacts,
    ExceptionFact,
    LoaderFacts,
    SampleFacts,
    TrainingFacts,
)
from tdebug.pipeline_checks.facts.batches import BatchFact
from tdebug.pipeline_checks.facts.samples import FailedSample, FieldFact, KindCount, ObjectArray
from tdebug.pipeline_checks.facts.tensors import TensorFact
from tdebug.pipeline_checks.facts.training import FailureFact
from tdebug.pipeline_checks.report import Stage

TYPES = (("float", "31.0"), ("str", "'a'"))
ERROR = ExceptionFact("TypeError", "can't convert np.ndarray")


def test_an_object_array_behind_a_failed_sample_is_opened():
    failed = FailedSample(0, ERROR, (ObjectArray("self.x", (16, 3), TYPES),))

    [problem] = wrong_dtype(SampleFacts("Rows", 16, 16, failed=(failed,)), None, None, None)

    assert "self.x has dtype object" in problem.message
    assert "float (31.0) and str ('a')" in problem.message
    assert "one-hot" in problem.hint


def object_field():
    kinds = (KindCount("object array", 1, 4, 0, "object"),)
    return SampleFacts("Rows", 4, 4, fields=(FieldFact("[0]", kinds, types_inside=TYPES),))


def test_an_object_array_in_a_sample_stops_the_default_collate():
    [problem] = wrong_dtype(object_field(), LoaderFacts(), None, None)

    assert problem.where == "dataset[0][0]"


def test_a_collate_function_of_the_user_may_take_object_arrays():
    user, good = LoaderFacts(collate_kind="user"), BatchFacts((BatchFact(0),))

    assert not list(wrong_dtype(object_field(), user, good, None))


def failing(function, dtype):
    operand = TensorFact((4, 8), dtype, field="[0]")
    failure = FailureFact(
        Stage.FORWARD,
        0,
        ERROR,
        module="emb",
        module_type="Embedding",
        function=function,
        operands=(operand,),
    )
    return TrainingFacts("pair", failures=(failure,))


IDS = SampleFacts("Rows", 4, 4, fields=(FieldFact("[0]", (KindCount("x", 1, 4, 0),)),))


def test_short_ids_for_an_embedding_are_found():
    [problem] = wrong_dtype(IDS, LoaderFacts(), None, failing("embedding", "int16"))

    assert (
        problem.message == "[0] is int16, which Embedding emb cannot take: an embedding takes "
        "int64 or int32."
    )
    assert "int64" in problem.hint


def test_raw_images_for_a_convolution_are_found():
    [problem] = wrong_dtype(IDS, LoaderFacts(), None, failing("conv2d", "uint8"))

    assert "float() / 255" in problem.hint


def test_other_failures_are_left_to_other_checks():
    assert not list(wrong_dtype(IDS, LoaderFacts(), None, failing("linear", "float64")))
    assert not list(wrong_dtype(IDS, LoaderFacts(), None, TrainingFacts("pair")))
