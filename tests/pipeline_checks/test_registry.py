"""The registry refuses nonsense at once; codes and names are frozen."""

from pathlib import Path

import pytest

from tdebug.pipeline_checks.checks import Undecided, all_checks, find_check, registry
from tdebug.pipeline_checks.checks.registry import check, run_check
from tdebug.pipeline_checks.facts import BatchFacts, LoaderFacts
from tdebug.pipeline_checks.report import Problem, Severity, Stage

TESTS = Path(__file__).parents[1]
# A code never changes its meaning: a line is added here for a new check, never changed.
CODES = """
TD001 import-fails
TD002 factory-fails
TD003 wrong-kind-of-part
TD004 hidden-standard-module
TD005 model-without-parameters
TD006 trainer-refuses-dataset-without-length
TD007 parameters-share-memory
TD008 packages-do-not-fit
TD009 no-optimizer-configured
TD010 automatic-with-several-optimizers
TD011 process-died
TD012 stage-timeout
TD013 plateau-without-monitor
TD014 compute-loss-takes-other-arguments
TD015 best-metric-not-set
TD016 checkpointing-not-supported
TD017 monitored-metric-not-logged
TD101 empty-dataset
TD102 text-instead-of-numbers
TD103 missing-model-inputs
TD104 labels-out-of-range
TD105 none-sample
TD106 sample-raises
TD107 inconsistent-samples
TD108 non-finite-input
TD109 wrong-dtype
TD110 label-kind-does-not-fit
TD111 token-ids-out-of-range
TD112 sequence-too-long
TD113 segment-ids-out-of-range
TD114 attention-mask-all-zero
TD115 all-labels-ignored
TD116 padding-has-labels
TD117 labels-already-shifted
TD118 class-imbalance
TD119 constant-feature
TD120 duplicate-samples
TD121 train-validation-overlap
TD122 images-not-scaled
TD123 channels-last
TD124 padding-mask-inverted
TD125 answers-beyond-sequence
TD126 no-token-masked
TD127 decoder-sees-labels
TD201 ragged-batch
TD202 uncollatable-type
TD203 tokenizer-without-pad-token
TD204 collator-drops-labels
TD205 batch-does-not-fit-forward
TD206 batch-of-one-meets-batchnorm
TD207 loader-not-shuffled
TD208 collate-fails
TD209 workers-share-random-state
TD210 stream-repeated-by-workers
TD211 workers-cannot-start
TD212 end-token-never-learned
TD213 lists-become-transposed-tensors
TD214 sampler-weights-do-not-fit
TD215 tokens-masked-for-causal-model
TD301 index-out-of-range
TD302 shape-mismatch
TD303 dtype-mismatch
TD304 device-mismatch
TD305 forward-fails
TD306 no-loss
TD307 loss-not-a-scalar
TD308 target-shape-differs
TD309 target-dtype-does-not-fit
TD310 probabilities-instead-of-logits
TD311 single-logit-cross-entropy
TD312 bce-target-out-of-range
TD313 loss-unusual-at-start
TD314 model-in-eval-mode
TD315 out-of-memory
TD316 model-without-pad-token-id
TD317 forward-ends-process
TD318 logits-instead-of-probabilities
TD319 samples-mixed
TD320 future-visible
TD321 targets-zero-for-minus-one
TD322 targets-out-of-reach
TD323 real-class-ignored
TD324 mask-added-to-scores
TD326 target-is-own-input
TD327 padding-attended
TD401 loss-has-no-gradient
TD402 changed-in-place
TD403 graph-used-twice
TD404 backward-fails
TD405 parameters-without-gradient
TD406 unregistered-parameters
TD407 non-finite-gradient
TD408 vanishing-gradient
TD409 backward-missing
TD410 loss-is-maximised
TD411 exploding-gradient
TD412 gradient-without-graph
TD501 everything-frozen
TD502 parameters-missing-from-optimizer
TD503 optimizer-holds-foreign-parameters
TD504 learning-rate-zero
TD505 parameters-unchanged
TD506 step-fails
TD507 scaler-with-half-parameters
TD508 optimizer-eps-underflows
TD509 zero-grad-after-backward
TD510 scheduler-before-optimizer
TD511 zero-grad-missing
TD512 step-before-backward
TD513 clip-before-unscale
TD514 steps-too-large
TD515 cannot-overfit-one-batch
TD516 weights-non-finite-after-step
TD517 scaled-gradients-stepped
TD518 scheduler-fails
TD519 schedule-does-not-fit
TD520 clipping-leaves-nothing
TD601 non-finite-output
TD602 swallowed-overflow
TD603 near-float16-limit
TD701 metrics-fail
TD702 metrics-get-nested-predictions
TD703 metrics-not-a-dict
TD704 metric-not-finite
TD705 wrong-number-of-predictions
TD706 evaluation-fails
TD707 best-metric-missing
TD801 ranks-have-different-batches
TD802 ranks-see-same-samples
TD803 ranks-hold-different-parameters
TD804 gathered-predictions-differ
TD805 rank-died
TD806 rank-silent
TD807 collective-would-hang
TD808 rank-raises
TD809 gradients-differ-across-ranks
TD810 parameters-differ-after-step
TD811 wrapper-waits-for-unused-parameters
"""
# What no pipeline file can show: a dead or silent process, a file that hides a module.
WITHOUT_CASES = {
    "hidden-standard-module",
    "packages-do-not-fit",
    "process-died",
    "stage-timeout",
}


@pytest.fixture(autouse=True)
def _registry_is_put_back():
    all_checks()
    before = dict(registry._registered)
    yield
    registry._registered.clear()
    registry._registered.update(before)


def documented(facts: BatchFacts):
    """Nothing is wrong.

    Why it matters: it does not.

    How to fix it: there is nothing to fix.
    """
    yield from ()


def make_check(needs="BatchFacts", name="some_problem", docstring=documented.__doc__):
    scope = {"BatchFacts": BatchFacts, "LoaderFacts": LoaderFacts}
    exec(f"def {name}(facts: {needs}):\n    yield from ()", scope)  # noqa: S102 - a function of any name
    function = scope[name]
    function.__doc__ = docstring
    return function


def test_the_codes_and_names_are_frozen():
    table = [f"{entry.code} {entry.name}" for entry in all_checks()]

    assert table == CODES.strip().splitlines()


def test_every_check_says_what_is_wrong_why_it_matters_and_how_to_fix_it():
    for entry in all_checks():
        first, _, rest = entry.documentation.partition("\n")
        assert first.endswith((".", ")")), entry.name
        assert "Why it matters:" in rest, entry.name
        assert "How to fix it:" in rest, entry.name


def test_every_check_lies_in_a_file_of_its_own_name_in_the_folder_of_its_stage():
    for entry in all_checks():
        *_, folder, file = entry.function.__module__.split(".")
        assert file == entry.name.replace("-", "_")
        assert folder == ("numerics" if entry.code.startswith("TD6") else entry.stage.value)


def folder_of_cases(entry):
    """Those that need several processes lie apart, since each of them takes seconds."""
    return TESTS / ("distributed/cases" if entry.stage is Stage.DISTRIBUTED else "cases")


def test_every_check_has_a_bad_and_a_good_case():
    lacking = [
        f"{entry.name}/{file}"
        for entry in all_checks()
        for file in ("bad.py", "good.py")
        if not (folder_of_cases(entry) / entry.name.replace("-", "_") / file).is_file()
        and entry.name not in WITHOUT_CASES
    ]

    assert not lacking


def test_a_check_is_found_by_code_or_name_in_any_case():
    assert find_check("td104") is find_check("Labels-Out-Of-Range")
    assert find_check(" TD104 ").stage is Stage.DATASET
    assert find_check("TD10") is None


def test_a_pattern_is_a_name_or_the_start_of_a_code():
    entry = find_check("TD104")

    assert all(entry.matches(p) for p in ("TD", "TD1", "td104", "labels-out-of-range"))
    assert not any(entry.matches(p) for p in ("TD2", "labels", "TD1045"))


@pytest.mark.parametrize("code", ["TD99", "TD1234", "XX104", "td104", ""])
def test_a_malformed_code_is_refused_with_file_and_line(code):
    with pytest.raises(ValueError, match=r".+:\d+: a code is TD and three digits, not '"):
        check(code, Severity.ERROR)(documented)


def test_a_taken_code_is_refused():
    with pytest.raises(ValueError, match="TD104 is taken by labels-out-of-range"):
        check("TD104", Severity.ERROR)(make_check())


def test_a_taken_name_is_refused():
    with pytest.raises(ValueError, match="labels-out-of-range is the name of TD104"):
        check("TD199", Severity.ERROR)(make_check(name="labels_out_of_range"))


@pytest.mark.parametrize("code", ["TD601", "TD901"])
def test_a_hundred_that_is_no_stage_needs_one(code):
    with pytest.raises(ValueError, match=f"{code} needs stage="):
        check(code, Severity.ERROR)(make_check(name=f"problem_of_{code.lower()}"))


def test_a_hundred_that_is_no_stage_may_name_one():
    check("TD699", Severity.ERROR, stage=Stage.BACKWARD)(make_check())

    assert registry._registered["TD699"].stage is Stage.BACKWARD


@pytest.mark.parametrize(
    ("docstring", "lacking"),
    [
        (None, "Why it matters: and How to fix it:"),
        ("Wrong.\n\nWhy it matters: so.", "How to fix it:"),
        ("Wrong.\n\nHow to fix it: so.", "Why it matters:"),
    ],
)
def test_a_docstring_without_a_section_is_refused(docstring, lacking):
    with pytest.raises(ValueError, match=f"the docstring lacks {lacking}"):
        check("TD199", Severity.ERROR)(make_check(docstring=docstring))


@pytest.mark.parametrize("annotation", ["BatchFacts | LoaderFacts", "None", "'Batches'", "int"])
def test_a_parameter_that_is_no_type_of_fact_is_refused(annotation):
    with pytest.raises((TypeError, NameError)):
        check("TD199", Severity.ERROR)(make_check(annotation))


def test_a_parameter_without_annotation_is_refused():
    def some_problem(facts):
        yield from ()

    some_problem.__doc__ = documented.__doc__
    with pytest.raises(TypeError, match="annotate facts with one type of fact"):
        check("TD199", Severity.ERROR)(some_problem)


def test_a_check_runs_only_when_what_it_needs_is_there():
    def some_problem(batches: BatchFacts, loader: LoaderFacts | None):
        yield Problem("with a loader" if loader else "without")

    some_problem.__doc__ = documented.__doc__
    some_problem.__annotations__ = {"batches": BatchFacts, "loader": LoaderFacts | None}
    check("TD199", Severity.ERROR)(some_problem)
    entry = registry._registered["TD199"]

    assert run_check(entry, {}) is None
    assert [p.message for p in run_check(entry, {BatchFacts: BatchFacts()})] == ["without"]
    both = {BatchFacts: BatchFacts(), LoaderFacts: LoaderFacts()}
    assert [p.message for p in run_check(entry, both)] == ["with a loader"]


def test_a_check_that_cannot_know_says_so_to_the_caller():
    def some_problem(batches: BatchFacts):
        raise Undecided("no labels were seen")
        yield

    some_problem.__doc__ = documented.__doc__
    some_problem.__annotations__ = {"batches": BatchFacts}
    check("TD199", Severity.ERROR)(some_problem)

    with pytest.raises(Undecided, match="no labels were seen"):
        run_check(registry._registered["TD199"], {BatchFacts: BatchFacts()})
