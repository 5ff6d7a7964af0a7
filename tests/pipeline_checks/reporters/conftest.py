"""Reports made by hand, one for each thing that a reporter must be able to show."""

import pytest

from tdebug.pipeline_checks.report import (
    STAGES,
    CheckResult,
    Finding,
    Location,
    Report,
    Severity,
    Stage,
    StageResult,
    Status,
)

NASTY = (
    "[bold red]x[/] \x1b[2J\x9b31m\x7f\x00 \u202eabc\u2066 ]]> <script>&amp; ::error::x\r%0A "
    "\ud800 \ufffe"
)

LABELS = Finding(
    code="TD104",
    name="labels-out-of-range",
    stage=Stage.DATASET,
    severity=Severity.ERROR,
    message="labels run from 1 to 3, the model has 3 outputs: valid labels are 0 to 2.",
    where='dataset[17]["labels"] = 3 (1 of 40 samples; class 0 never occurs)',
    hint="the labels look 1-based: subtract 1, or build the model with 4 classes.",
    location=Location("train_setup.py", 23, "__getitem__", "return self.x[i], self.y[i]"),
    values={"least": 1, "most": 3, "outputs": 3},
)
CHANNELS = Finding(
    code="TD106",
    name="inconsistent-samples",
    stage=Stage.DATASET,
    severity=Severity.WARNING,
    message='"image" has 3 channels in 39 samples and 1 in 1 sample.',
    where='dataset[3]["image"], of shape (1, 32, 32)',
)
IMBALANCE = Finding(
    code="TD116",
    name="class-imbalance",
    stage=Stage.DATASET,
    severity=Severity.INFO,
    message="class 2 is 11 times as frequent as class 0 over 700 labels.",
    where='dataset["labels"]',
)
SHAPES = Finding(
    code="TD302",
    name="shape-mismatch",
    stage=Stage.FORWARD,
    severity=Severity.ERROR,
    message="the layer `classifier` takes 400 features, and was given 512.",
    where="batch 0, module classifier, a Linear(400, 3); its input is of shape (4, 512)",
    hint="build it as Linear(512, 3).",
    location=Location("models/net.py", 41, "forward", "return self.classifier(x.flatten(1))"),
    stack=(
        Location("train_setup.py", 60, "compute_loss", "loss = model(batch[0]).mean()"),
        Location("models/net.py", 41, "forward", "return self.classifier(x.flatten(1))"),
    ),
)


def stages(broken=None, *, output="", summaries=()):
    """Results of all stages, the ones after the broken one skipped."""
    told = dict(zip(STAGES, summaries, strict=False))
    for stage in STAGES:
        if broken is not None and stage.rank > broken.rank:
            yield StageResult(stage, Status.SKIPPED, f"the {broken} stage is broken")
        elif stage is broken:
            yield StageResult(stage, Status.FAILED, "", told.get(stage, ""), 0.42, output)
        elif stage.rank > Stage.STEP.rank:
            yield StageResult(stage, Status.SKIPPED, "the run ended before it")
        else:
            yield StageResult(stage, Status.PASSED, "", told.get(stage, ""), 1.26)


SUMMARIES = (
    "Sequential with 436 parameters, a dataset of 40 samples",
    "40 of 40 samples read",
    "8 of 10 batches, and the last",
    "9 batches",
    "9 batches",
    "1 step",
)


def checks_of(*findings):
    passed = CheckResult("TD101", "empty-dataset", Stage.DATASET, Status.PASSED)
    skipped = CheckResult(
        "TD401", "no-gradient", Stage.BACKWARD, Status.SKIPPED, "what it looks at was not reached"
    )
    failed = [CheckResult(f.code, f.name, f.stage, Status.FAILED) for f in findings]
    return tuple(sorted([passed, skipped, *failed], key=lambda check: check.code))


def report_of(*findings, broken=None, output="", **more):
    return Report(
        target="train_setup.py",
        stages=tuple(stages(broken, output=output, summaries=SUMMARIES)),
        checks=checks_of(*findings),
        findings=findings,
        seconds=3.21,
        **more,
    )


def nasty_report():
    place = Location(NASTY, 3, NASTY, NASTY)
    finding = Finding(
        code="TD105",
        name="non-finite-input",
        stage=Stage.DATASET,
        severity=Severity.ERROR,
        message=f"line one {NASTY}\n::warning::line two",
        where=NASTY,
        hint=NASTY,
        location=place,
        values={NASTY: [float("nan"), float("inf"), -float("inf"), (1, Stage.LOAD), NASTY]},
        stack=(place, place),
    )
    return Report(
        target=NASTY,
        stages=(StageResult(Stage.DATASET, Status.FAILED, "", NASTY, 1.0, f"{NASTY}\n"),),
        checks=checks_of(finding),
        findings=(finding,),
        ignored=(finding,),
        notes=(NASTY,),
    )


REPORTS = {
    "clean": lambda: report_of(versions={"python": "3.11.7", "torch": "2.13.0"}),
    "one_error": lambda: report_of(LABELS, broken=Stage.DATASET),
    "raised": lambda: report_of(
        SHAPES, broken=Stage.FORWARD, output="epoch 0\n 10%|#|\r100%|##| \x1b[32mdone\x1b[0m\n"
    ),
    "everything": lambda: report_of(
        LABELS,
        CHANNELS,
        IMBALANCE,
        broken=Stage.DATASET,
        output="".join(f"reading file {number}\n" for number in range(1000)),
        ignored=(IMBALANCE, CHANNELS, IMBALANCE),
        notes=("no optimizer was given: AdamW with a learning rate of 1e-3 was made up.",),
    ),
    "warnings": lambda: report_of(CHANNELS, IMBALANCE),
    "interrupted": lambda: report_of(LABELS, broken=Stage.DATASET, interrupted=True),
    "crashed": lambda: Report(
        target="tdebug.yaml",
        stages=tuple(stages(summaries=SUMMARIES)),
        checks=(
            CheckResult(
                "TD104",
                "labels-out-of-range",
                Stage.DATASET,
                Status.ERRORED,
                "it crashed",
                'Traceback (most recent call last):\n  File "a.py", line 3, in f\nKeyError: 3\n',
            ),
        ),
        seconds=2.0,
    ),
    "nasty": nasty_report,
}


@pytest.fixture(params=sorted(REPORTS))
def named_report(request):
    """Each report, with its name."""
    return request.param, REPORTS[request.param]()


@pytest.fixture
def make_report():
    """A report by its name."""
    return lambda name: REPORTS[name]()


@pytest.fixture
def make_findings():
    """Many findings of one severity."""

    def make(severity, number):
        return [
            Finding(f"TD{n}", f"problem-{n}", Stage.DATASET, severity, f"problem number {n}")
            for n in range(100, 100 + number)
        ]

    return make
