"""Facts of watched trainings made by hand, for the reporters to show."""

import math

from tdebug.pipeline_checks.events import Death
from tdebug.pipeline_checks.facts.numerics import OriginFact
from tdebug.pipeline_checks.facts.watching import (
    DetectionFact,
    DifferenceFact,
    DiffFacts,
    FrameFact,
    FramesSeen,
    RankWatched,
    RowFact,
    StatsFact,
    WatchFacts,
)
from tdebug.pipeline_checks.report import Location, Report, Stage
from tdebug.pipeline_checks.watching.watch import WatchOutcome

NASTY = "[red]\x1b[2J\u202e\ud800"
LIMITS = {"float16": 65504.0, "float32": 3.4028234663852886e38, "bfloat16": 3.39e38}


def stats(abs_min, abs_max, dtype="float16", shape=(8, 6, 16), **more):
    more.setdefault("inf_count", int(math.isinf(abs_max)))
    more.setdefault("nan_count", int(math.isnan(abs_max)))
    return StatsFact(shape, dtype, abs_min, abs_max, limit=LIMITS.get(dtype), **more)


def row(context, abs_min, abs_max, dtype="float16", *, forecast="", **more):
    kind = context.split("[")[0]
    kind = kind if kind in {"input", "output"} else "weight"
    return RowFact(context, kind, stats(abs_min, abs_max, dtype, **more), forecast=forecast)


def frame(name, kind, *rows, batch=2):
    return FrameFact(name, kind, batch, rows, f"{name} {kind}", f'{{"module": "{name}"}}')


FEED_FORWARD = "encoder.block.2.layer.1.DenseReluDense"
FRAMES = (
    frame(
        f"{FEED_FORWARD}.wi_1",
        "Linear",
        row("weight", 8.08e-07, 26.6, "float32", shape=(32, 16)),
        row("input[0]", 1.79e-06, 4.65),
        row("output", 1.27e-04, 237.0),
    ),
    frame(
        f"{FEED_FORWARD}.wo",
        "Linear",
        row("weight", 1.01e-06, 6.44, "float32", shape=(16, 32)),
        row("input[0]", 0.0, 9740.0),
        row("output", 3.18e-04, 62700.0),
    ),
    frame(
        FEED_FORWARD,
        "T5DenseGatedActDense",
        row("input[0]", 1.79e-06, 4.65),
        row("output", 3.18e-04, 62700.0),
    ),
    frame(
        "encoder.block.2.layer.1.dropout",
        "Dropout",
        row("input[0]", 3.18e-04, 62700.0),
        row("output", 0.0, float("inf"), zero_share=0.1, inf_count=3),
    ),
)
ORIGIN = OriginFact(
    stage=Stage.FORWARD,
    batch=2,
    operator="mul",
    kind="inf",
    module="encoder.block.2.layer.1.dropout",
    module_type="Dropout",
    dtype="float16",
    limit=65504.0,
    input_max=62700.0,
    would_be=69667.0,
    rows=(3, 5),
    location=Location("models/t5.py", 27, "forward", "return hidden + self.dropout(grown)"),
)
DETECTION = DetectionFact(
    batch=2,
    stage="forward",
    where="output of 'encoder.block.2.layer.1.dropout' (Dropout)",
    frames=FRAMES,
    origin=ORIGIN,
    origin_text="First inf in the forward of 'mul'.",
    classic="Detected inf/nan during batch_number=2\n",
)
GRADIENTS = DetectionFact(
    batch=0,
    stage="gradients",
    where="weight.grad of 'out' (Linear)",
    note="Running the batch again did not show it; this is what was first seen.",
    frames=tuple(
        FrameFact(
            f"out.{number}",
            "Linear",
            None,
            (RowFact("weight.grad", "gradient", stats(float("nan"), float("nan"), "float32")),),
        )
        for number in range(30)
    ),
)


def facts(**more):
    known = {
        "num_batches": 3,
        "num_steps": 2,
        "losses": ((0, 2.5), (1, 2.25)),
        "ended_by": "done",
        "num_modules": 27,
    }
    return WatchFacts(**{**known, **more})


def outcome(seen=None, *, has_failed=False, **report):
    report = {"target": "tdebug.yaml", "seconds": 3.21, **report}
    return WatchOutcome(seen or facts(), Report(**report), has_failed)


FORECASTS = tuple(
    f"output of 'h.{number}.mlp' (Mlp) reaches 9.3e+04, 1.42 times the largest float16 (65504)"
    for number in range(7)
)
LOSS = DetectionFact(2, "loss", "the loss of batch 2 is nan")
RECEIVED = DetectionFact(2, "gradients", "weight.grad of 'out' (Linear)", is_own=False)
KILLED = Death(Stage.FORWARD, "signal", 9, "SIGKILL")
RANKS = (
    RankWatched(0, 3, 2, ((1, 2.25), (2, 2.125)), "left"),
    RankWatched(1, 3, 2, ((1, 2.5),), "detection", DETECTION),
    RankWatched(2, 3, 2, ((2, 2.0),), "detection", RECEIVED),
    RankWatched(3, 3, 2, ((1, 2.25),), death=KILLED, was_ended=True),
    RankWatched(4, 0, 0, (), "left"),
    RankWatched(5, ended_by="death", death=Death(Stage.FORWARD, "signal", 11, "SIGSEGV", NASTY)),
    RankWatched(6, 2, 1, ((0, 2.5),), "failure"),
)
OUTCOMES = {
    "ranks": lambda: outcome(facts(detection=DETECTION, ended_by="detection", ranks=RANKS)),
    "healthy_ranks": lambda: outcome(facts(ranks=tuple(RankWatched(r, 3, 2) for r in range(2)))),
    "healthy": lambda: outcome(facts(forecasts=FORECASTS, num_forecasts=12)),
    "inf": lambda: outcome(
        facts(detection=DETECTION, ended_by="detection", num_skipped=1, precision="fp16")
    ),
    "gradients": lambda: outcome(facts(detection=GRADIENTS, ended_by="detection", num_steps=0)),
    "interrupted": lambda: outcome(facts(num_skipped=3, num_steps=0), interrupted=True),
    "nasty": lambda: outcome(
        facts(
            detection=DetectionFact(
                1,
                "forward",
                NASTY,
                NASTY,
                (frame(NASTY, NASTY, row(NASTY, 1.0, 2.0)),),
                None,
                NASTY,
            ),
            forecasts=(NASTY,),
            num_forecasts=1,
        ),
        target=NASTY,
        notes=(NASTY,),
    ),
}

TRACED = FramesSeen(
    1,
    (
        frame("wte", "Embedding", row("output", 0.01, 4.1, "float32"), batch=1),
        frame(
            "h.0.mlp.c_fc",
            "Conv1D",
            row("weight", 0.0, 0.02, "float32", shape=(16, 64), subnormal_share=0.3),
            row("output", 0.001, 93000.0, "float32", forecast="overflow", shape=(8, 6, 64)),
            batch=1,
        ),
        frame("h.0.mlp", "GPT2MLP", row("output", 0.0, 20.0, "float32", zero_share=0.5), batch=1),
        frame("h.0", "GPT2Block", row("output", 0.01, float("nan"), "float32"), batch=1),
        frame("", "GPT2Model", row("output[0]", 0.01, 30.0, "float32"), batch=1),
    ),
    2.345,
)
DIFFERENCES = DiffFacts(
    differences=tuple(
        DifferenceFact(
            0,
            f"h.{number}.mlp",
            "GPT2MLP",
            "output",
            stats(0.1, 3.5, "float32"),
            stats(0.1, float("inf") if number == 2 else 3.1, "bfloat16"),
            float("inf") if number == 2 else 0.114,
            0.05,
        )
        for number in range(23)
    ),
    num_differences=23,
    num_compared=310,
    only_second=("lm_head",),
)
