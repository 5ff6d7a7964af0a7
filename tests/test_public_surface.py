"""What others build on: the public names of the packages, frozen."""

import importlib

import pytest

from tdebug.pipeline_checks.report import STAGES

SURFACE = {
    "tdebug.pipeline_checks": """
        Finding Location Pipeline Report Severity Stage Status check_pipeline
    """,
    "tdebug.pipeline_checks.checks": "Check Undecided all_checks check find_check",
    "tdebug.pipeline_checks.facts": """
        BatchFacts CallFacts DiffFacts DistributedFacts EvaluationFacts ExceptionFact
        FACT_TYPES FittingFacts FramesSeen GradientFacts GraphFacts LoadFacts LoaderFacts
        LoaderWorkerFacts MixingFacts ModelFacts NumericsFacts OptimizerFacts PackageFacts
        RangeFacts RankFacts RepeatFacts SampleFacts SetupFacts StepFacts SwallowedFacts
        TrainerFacts TrainingFacts WatchFacts
    """,
    "tdebug.pipeline_checks.report": """
        STAGES CheckResult Finding Location Problem Report Severity Stage StageResult Status
    """,
    "tdebug.pipeline_checks.pipeline": "Pipeline",
    "tdebug.pipeline_checks.stages": "check_live run_stages",
    "tdebug.overflow": """
        BatchLimitReachedError DebugUnderflowOverflow Fp16Forecast Frame Location
        OperatorSite Origin OverflowDetectedError OverflowReport Row RowDifference
        SkipCounts SkippedSteps TensorStats TraceDiff diff_traces find_origin
        find_swallowed_overflow
        forecast_fp16 forecast_row format_frame format_json_line gradient_frames
        largest_finite measure parse_batches read_trace record_frames replay_state
        write_trace
    """,
    "tdebug.gather": """
        Absence AbsenceReason DistributedTensorGatherer EvalPrediction
        LocalMainFailedError RankError RanksDisagreeError RanksMissingError RollCall
        SequentialDistributedSampler find_batch_size gather_uneven get_roll_call
        named_barrier nested_concat nested_detach nested_leaves nested_numpify
        nested_pad nested_truncate require_same_shapes torch_distributed_zero_first
    """,
}


@pytest.mark.parametrize("name", SURFACE)
def test_the_public_names_are_these(name):
    module = importlib.import_module(name)

    assert sorted(module.__all__) == sorted(SURFACE[name].split())


@pytest.mark.parametrize("name", SURFACE)
def test_every_public_name_is_there(name):
    module = importlib.import_module(name)

    assert all(getattr(module, entry) is not None for entry in module.__all__)


@pytest.mark.parametrize("name", ["tdebug.pipeline_checks"])
def test_a_name_that_is_not_there_is_told_as_python_does(name):
    with pytest.raises(AttributeError, match=f"module '{name}' has no attribute 'nothing'"):
        _ = importlib.import_module(name).nothing


def test_the_order_of_the_stages_is_the_order_of_the_data():
    assert " ".join(stage.value for stage in STAGES) == (
        "load dataset collate forward backward step evaluate distributed"
    )
