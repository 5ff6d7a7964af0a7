"""Each stage at work on tiny pipelines: which events it tells."""

import dataclasses
import time
from itertools import pairwise

import pytest
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, IterableDataset

from tdebug.pipeline_checks import check_pipeline
from tdebug.pipeline_checks.events import Note, Observed, Progress, StageBegan, StageEnded
from tdebug.pipeline_checks.facts import (
    BatchFacts,
    CallFacts,
    GradientFacts,
    LoadFacts,
    ModelFacts,
    OptimizerFacts,
    RepeatFacts,
    SampleFacts,
    StepFacts,
    TrainingFacts,
)
from tdebug.pipeline_checks.pipeline import Pipeline
from tdebug.pipeline_checks.report import Stage
from tdebug.pipeline_checks.session import Session, Settings
from tdebug.pipeline_checks.stages import check_live
from tdebug.pipeline_checks.stages import dataset as dataset_stage
from tdebug.pipeline_checks.stages.collate import Collating
from tdebug.pipeline_checks.stages.dataset import read_samples
from tdebug.pipeline_checks.stages.load import Loading
from tdebug.pipeline_checks.stages.places import indices_to_read
from tdebug.pipeline_checks.stages.sections import SectionLoop


class Rows(Dataset):
    def __init__(self, length=20, delay=0.0, bad=()):
        self.length, self.delay, self.bad, self.read = length, delay, bad, []

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        self.read.append(index)
        time.sleep(self.delay)
        if index in self.bad:
            raise ValueError(f"row {index} is bad")
        return torch.full((2,), float(index)), index % 2


class Stream(IterableDataset):
    def __init__(self, length):
        self.length = length

    def __iter__(self):
        return ((torch.ones(2), n % 2) for n in range(self.length))


def pipeline_of(dataset=None, model=None, **parts):
    parts = {"loss": nn.CrossEntropyLoss(), **parts}
    return Pipeline(model=model or nn.Linear(2, 2), dataset=Rows() if dataset is None else dataset,
                    **parts)  # fmt: skip


def facts_of(events, kind):
    return [e.fact for e in events if isinstance(e, Observed) and isinstance(e.fact, kind)]


def last_fact(events, kind):
    return facts_of(events, kind)[-1]


def notes_of(events):
    return [event.text for event in events if isinstance(event, Note)]


def run(pipeline, **settings):
    return list(check_live(pipeline, Settings(**settings)))


def loaded(pipeline, **settings):
    """The session and the pipeline after the load stage."""
    session = Session(Settings(**settings))
    list(Loading(session).run_live(pipeline))
    return session, pipeline


def test_every_stage_begins_and_ends_in_order():
    events = run(pipeline_of())

    ended = [e.stage for e in events if isinstance(e, StageEnded)]
    assert [e.stage for e in events if isinstance(e, StageBegan)][:6] == list(Stage)[:6]
    assert ended[:6] == list(Stage)[:6]
    assert all(e.seconds >= 0 for e in events if isinstance(e, StageEnded))


def test_the_load_stage_tells_parts_model_loader_and_optimizer():
    events = run(pipeline_of())

    load = last_fact(events, LoadFacts)
    assert [part.name for part in load.parts] == ["model", "dataset", "loss"]
    assert load.part("dataset").has_length
    assert last_fact(events, ModelFacts).type == "Linear"
    assert last_fact(events, OptimizerFacts).is_made_up
    assert notes_of(events)[:2] == [
        "no optimizer was given: tdebug used AdamW with a learning rate of 0.001.",
        "no loader was given: tdebug batches 8 samples in dataset order.",
    ]


@pytest.mark.parametrize(
    ("parts", "name"),
    [
        ({"model": "text"}, "model"),
        ({"dataset": 3}, "dataset"),
        ({"loss": "text"}, "loss"),
        ({"optimizer": "adam"}, "optimizer"),
        ({"dataloader": 3}, "dataloader"),
        ({"collate_fn": 3}, "collate_fn"),
    ],
)
def test_a_part_of_the_wrong_kind_ends_the_run_after_load(parts, name):
    events = run(pipeline_of(**parts))

    assert last_fact(events, LoadFacts).part(name).problem
    assert [e.stage for e in events if isinstance(e, StageEnded)] == [Stage.LOAD]


def test_a_frozen_model_gets_no_made_up_optimizer():
    events = run(pipeline_of(model=nn.Linear(2, 2).requires_grad_(requires_grad=False)))

    assert "no optimizer was given" not in " ".join(notes_of(events))


def test_the_first_samples_some_in_between_and_a_few_of_the_end_are_read():
    rows = Rows(1000)
    session, pipeline = loaded(pipeline_of(rows), samples=10)

    events = list(read_samples(session, pipeline))

    assert rows.read[:6] == [0, 1, 2, 3, 4, 5]
    assert 5 < rows.read[6] < rows.read[7] < 998
    assert rows.read[8:] == [998, 999]
    assert last_fact(events, SampleFacts).read_text == "10 of 1000 samples"
    assert Progress(Stage.DATASET, "dataset[998]", 8, 10) in events


def test_every_block_of_three_percent_has_a_sample_that_is_read():
    read = indices_to_read(100_000, 256)

    gaps = [later - earlier for earlier, later in pairwise(read)]
    assert len(set(read)) == len(read) == 256
    assert max(gaps) < 3200
    assert read == indices_to_read(100_000, 256)


@pytest.mark.parametrize(
    ("length", "samples", "expected"),
    [(0, 5, []), (3, None, [0, 1, 2]), (3, 3, [0, 1, 2]), (9, 3, [0, 1, 2])],
)
def test_which_samples_are_read(length, samples, expected):
    assert indices_to_read(length, samples) == expected


def test_the_budget_ends_the_dataset_stage_after_at_least_one_sample():
    rows = Rows(delay=0.01)
    session, pipeline = loaded(pipeline_of(rows), budget=0.0)

    events = list(read_samples(session, pipeline))

    assert rows.read == [0]
    assert notes_of(events) == ["the budget of 0 s ended the dataset stage after 1 samples."]
    assert last_fact(events, SampleFacts).num_read == 1


def test_long_reading_tells_what_it_has_seen_until_then(monkeypatch):
    monkeypatch.setattr(dataset_stage, "PARTIAL_EVERY", 0.0)
    session, pipeline = loaded(pipeline_of(Rows(5)))

    events = list(read_samples(session, pipeline))

    assert [fact.num_read for fact in facts_of(events, SampleFacts)] == [1, 2, 3, 4, 5, 5]


def test_samples_that_raise_are_told_and_the_rest_is_read():
    session, pipeline = loaded(pipeline_of(Rows(6, bad={2, 5})))

    facts = last_fact(list(read_samples(session, pipeline)), SampleFacts)

    assert [failed.index for failed in facts.failed] == [2, 5]
    assert facts.failed[0].error.text == "row 2 is bad"
    assert facts.num_read == 6


def test_a_stream_is_read_as_far_as_asked():
    session, pipeline = loaded(pipeline_of(Stream(50)), samples=7)

    facts = last_fact(list(read_samples(session, pipeline)), SampleFacts)

    assert (facts.num_read, facts.is_iterable, facts.length) == (7, True, None)


def test_a_length_that_raises_is_a_failed_sample():
    class Broken(Rows):
        def __len__(self):
            raise ZeroDivisionError

    loader = [(torch.ones(1, 2), torch.zeros(1, dtype=torch.long))]
    session, pipeline = loaded(pipeline_of(Broken(), dataloader=loader))

    facts = last_fact(list(read_samples(session, pipeline)), SampleFacts)

    assert facts.failed[0].error.type == "ZeroDivisionError"


def test_a_loader_without_a_dataset_skips_the_dataset_stage():
    loader = [(torch.ones(4, 2), torch.tensor([0, 1, 0, 1]))]
    pipeline = dataclasses.replace(pipeline_of(), dataset=None, dataloader=loader)
    session, pipeline = loaded(pipeline)

    [_, end] = read_samples(session, pipeline)

    assert end.skipped_because == "the loader has no dataset to read samples from"


def collate(pipeline, **settings):
    session, pipeline = loaded(pipeline, **settings)
    collating = Collating(session, pipeline)
    return collating, list(collating.run())


def test_the_first_batches_and_the_last_are_made_and_kept():
    collating, events = collate(pipeline_of(Rows(50)), max_batches=2, batch_size=8)

    facts = last_fact(events, BatchFacts)
    assert [batch.number for batch in facts.batches] == [0, 1, 6]
    assert facts.batches[-1].is_last
    assert facts.batches[-1].indices == (48, 49)
    assert len(collating.kept) == 3


def test_batches_that_raise_are_told_with_the_sizes_of_their_samples():
    def fail(samples):
        raise ValueError("cannot")

    collating, events = collate(pipeline_of(collate_fn=fail))

    batch = last_fact(events, BatchFacts).batches[0]
    assert (batch.error.text, batch.indices) == ("cannot", tuple(range(8)))
    assert [field.path for field in batch.fields] == ["[0]", "[1]"]
    assert collating.kept == []


def test_the_budget_still_makes_the_first_and_the_last_batch():
    rows = Rows(64, delay=0.002)

    collating, events = collate(pipeline_of(rows), budget=0.0, batch_size=8)

    assert [draw.number for draw, _ in collating.kept] == [0, 7]
    assert last_fact(events, BatchFacts).was_cut
    assert any("ended the collate stage" in note for note in notes_of(events))


def test_a_loader_that_ends_early_ends_the_stage():
    _, events = collate(pipeline_of(Stream(10)), batch_size=4, max_batches=8)

    assert [batch.size for batch in last_fact(events, BatchFacts).batches] == [4, 4, 2]


def train(pipeline, precision="fp32", **settings):
    session, pipeline = loaded(pipeline, **settings)
    collating = Collating(session, pipeline)
    list(collating.run())
    return list(SectionLoop(session, pipeline, collating.kept, precision).run())


def test_a_step_is_taken_after_the_last_batch():
    events = train(pipeline_of(Rows(24)), batch_size=8)

    facts, step = last_fact(events, TrainingFacts), last_fact(events, StepFacts)
    assert (facts.style, facts.batches, facts.failures) == ("pair", (0, 1, 2), ())
    assert all(loss.value is not None for loss in facts.losses)
    assert (step.was_taken, step.num_changed, step.unchanged) == (True, 2, ())
    assert last_fact(events, GradientFacts).num_batches >= 3


def test_the_budget_still_takes_the_step():
    class Slow(nn.Linear):
        def forward(self, x):
            time.sleep(0.01)
            return super().forward(x)

    session, pipeline = loaded(pipeline_of(Rows(64), model=Slow(2, 2)))
    collating = Collating(session, pipeline)
    list(collating.run())
    session.settings = dataclasses.replace(session.settings, budget=0.0)
    events = list(SectionLoop(session, pipeline, collating.kept).run())

    assert last_fact(events, TrainingFacts).batches == (0, 7)
    assert last_fact(events, StepFacts).was_taken
    assert any("ended the training loop after 2 of 8 batches" in note for note in notes_of(events))


def test_a_forward_that_raises_is_told_for_every_batch_with_its_module():
    events = train(pipeline_of(Rows(16), model=nn.Sequential(nn.Linear(3, 2))), batch_size=8)

    failures = last_fact(events, TrainingFacts).failures
    assert [(f.stage, f.batch) for f in failures] == [(Stage.FORWARD, 0), (Stage.FORWARD, 1)]
    assert (failures[0].module, failures[0].function) == ("0", "linear")
    assert not last_fact(events, StepFacts).was_taken


def test_a_backward_that_raises_is_told_as_such_with_the_change_in_place():
    class InPlace(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = nn.Linear(2, 2)

        def forward(self, x):
            y = self.layer(x).sigmoid()
            y += 1
            return y

    events = train(pipeline_of(model=InPlace()))

    assert last_fact(events, TrainingFacts).failures[0].stage is Stage.BACKWARD


def test_a_step_that_raises_is_told_as_such():
    class Broken(torch.optim.SGD):
        def step(self, closure=None):
            raise RuntimeError("no step")

    model = nn.Linear(2, 2)
    pipeline = pipeline_of(model=model, optimizer=Broken(model.parameters(), lr=0.1))

    [failure] = last_fact(train(pipeline), TrainingFacts).failures

    assert (failure.stage, failure.error.text) == (Stage.STEP, "no step")


def test_no_batch_skips_the_three_sections():
    session, pipeline = loaded(pipeline_of())

    events = list(SectionLoop(session, pipeline, []).run())

    ended = [e for e in events if isinstance(e, StageEnded)]
    assert {e.skipped_because for e in ended} == {"there is no batch to run"}


def test_a_train_step_is_the_users_own_loop():
    def train_step(model, batch, optimizer, state):
        x, y = batch
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        state["steps"] = state.get("steps", 0) + 1
        return loss

    events = train(pipeline_of(Rows(24), train_step=train_step, loss=None), batch_size=8)

    step = last_fact(events, StepFacts)
    assert [[call.call for call in calls] for calls in step.calls] == [
        ["zero_grad", "backward", "step"]
    ] * 3
    assert last_fact(events, RepeatFacts).not_tried_because == "the loop is the user's own"


@pytest.mark.parametrize("precision", ["bf16", "fp16"])
def test_precisions_run_under_autocast(precision):
    seen = []

    class Watched(nn.Linear):
        def forward(self, x):
            seen.append(super().forward(x).dtype)
            return super().forward(x)

    events = train(pipeline_of(model=Watched(2, 2)), precision)

    assert seen[0] is (torch.bfloat16 if precision == "bf16" else torch.float16)
    assert last_fact(events, StepFacts).was_taken


def test_a_lazy_model_is_trained():
    model = nn.Sequential(nn.LazyLinear(4), nn.ReLU(), nn.LazyLinear(2))

    events = train(pipeline_of(model=model))

    assert last_fact(events, TrainingFacts).failures == ()
    assert last_fact(events, StepFacts).was_taken


def test_calls_of_the_loss_are_told():
    events = train(pipeline_of(Rows(16)), batch_size=8)

    losses = last_fact(events, CallFacts).losses
    assert {(call.function, call.name, call.num_classes) for call in losses} == {
        ("cross_entropy", "CrossEntropyLoss", 2)
    }


def test_a_loss_that_tdebug_calls_is_placed_at_the_model_s_output():
    class Net(nn.Linear):
        def forward(self, x):
            return super().forward(x)

    losses = last_fact(train(pipeline_of(model=Net(2, 2))), CallFacts).losses

    assert {call.location.code for call in losses} == {"return super().forward(x)"}


@pytest.mark.parametrize("sign", [1, -1])
def test_the_factor_of_a_loss_in_what_goes_back_is_told(sign):
    def compute_loss(model, batch):
        x, y = batch
        return sign * nn.functional.cross_entropy(model(x), y)

    losses = last_fact(train(pipeline_of(compute_loss=compute_loss, loss=None)), CallFacts).losses

    assert {call.weight for call in losses} == {float(sign)}
    assert [call.total for call in losses] == pytest.approx([sign * call.value for call in losses])


def test_what_user_code_exits_with_is_caught_and_ctrl_c_is_not():
    def leave(samples):
        raise SystemExit(3)

    def stop(samples):
        raise KeyboardInterrupt

    _, events = collate(pipeline_of(collate_fn=leave))
    assert last_fact(events, BatchFacts).batches[0].error.type == "SystemExit"

    with pytest.raises(KeyboardInterrupt):
        collate(pipeline_of(collate_fn=stop))


def test_workers_are_started_and_their_facts_told():
    loader = DataLoader(Rows(8), batch_size=4, num_workers=1)

    _, events = collate(pipeline_of(dataloader=loader))

    kinds = {type(e.fact).__name__ for e in events if isinstance(e, Observed)}
    assert "LoaderWorkerFacts" in kinds


def test_a_last_batch_of_an_odd_number_meets_a_loss_that_takes_halves():
    def compute_loss(model, batch):
        (one, other), (label, _) = batch[0].chunk(2), batch[1].chunk(2)
        return nn.functional.cross_entropy(model(one + other), label)

    report = check_pipeline(pipeline_of(Rows(21), loss=None, compute_loss=compute_loss))

    finding = report.findings[0]
    assert finding.where.startswith("batch 2 (samples 16 to 20)")
    assert finding.where.endswith("fails, the only one of 5 samples instead of 8")


def test_a_last_batch_of_an_odd_number_meets_a_collate_function_that_takes_halves():
    def collate(samples):
        rows = torch.stack([row for row, _ in samples])
        return rows.view(2, len(samples) // 2, -1).mean(0), torch.zeros(len(samples) // 2).long()

    report = check_pipeline(pipeline_of(Rows(21), collate_fn=collate))

    [finding] = report.findings
    assert finding.where == "batch 2 (samples 16 to 20)"
    assert "drop_last=True" in finding.hint
