"""The distributed stage: what one rank does, and how one process gets ready to be compared."""

from __future__ import annotations

import time
import warnings
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING

from ..events import Event, Observed, Progress, SpecMistake, StageBegan, StageEnded
from ..facts import LoadFacts
from ..facts.distributed import DistributedFacts, RankCall, RankFacts, RankFailure
from ..observe.collectives import guarded_collectives
from ..observe.evaluation_own import OwnEvaluationObserver, tensor_digest
from ..observe.frameworks import frameworks_mentioned
from ..observe.rank_data import look_at_rank_data
from ..observe.rank_steps import HandedTensors, is_sharded, named_parameters, wrappers_in
from ..observe.wrapped_calls import guarded_wrappers
from ..report import Stage
from .load import Loading
from .rank_meeting import (
    RankMeeting,
    RanksApartError,
    alone_in_group,
    gather_rank_facts,
    joined_ranks,
)
from .rank_training import RankTrainer
from .run import import_path, open_session, run_stages

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from torch import nn

    from ..pipeline.parts import Pipeline
    from ..session import Session
    from ..spec import WorkerSpec


def run_alone(spec: WorkerSpec) -> Iterator[Event]:
    """Run the stages in one process whose results several ranks will be compared with."""
    with alone_in_group():
        yield from run_stages(spec, has_ranks=True)


def run_rank(spec: WorkerSpec) -> Iterator[Event]:
    """Run this rank's part of the distributed stage; the launcher's environment says which."""
    began = time.monotonic()
    yield StageBegan(Stage.DISTRIBUTED)
    yield Progress(Stage.DISTRIBUTED, "joining the process group")
    with joined_ranks(spec.device, spec.timeout) as meeting:
        yield from _work(spec, meeting)
    yield StageEnded(Stage.DISTRIBUTED, time.monotonic() - began)


def run_joined_rank(spec: WorkerSpec) -> Iterator[Event]:
    """The same under a launcher of the user's, where the ranks themselves gather what they saw."""
    began = time.monotonic()
    yield StageBegan(Stage.DISTRIBUTED)
    yield Progress(Stage.DISTRIBUTED, "waiting for the other ranks")
    with joined_ranks(spec.device, spec.timeout, start_s=spec.timeout) as meeting:
        facts = RankFacts(meeting.rank)
        for event in _work(spec, meeting):
            if isinstance(event, Observed) and isinstance(event.fact, RankFacts):
                facts = event.fact
            else:
                yield event
        ranks = gather_rank_facts(meeting, facts)
    yield Observed(DistributedFacts(ranks))
    yield StageEnded(Stage.DISTRIBUTED, time.monotonic() - began, f"{len(ranks)} ranks")


def _work(spec: WorkerSpec, meeting: RankMeeting) -> Iterator[Event]:
    session = open_session(spec)
    handed = HandedTensors()
    with ExitStack() as stack:
        stack.enter_context(guarded_collectives(meeting, session.code, handed.note))
        stack.enter_context(guarded_wrappers(meeting, session.code))
        stack.enter_context(import_path(str(spec.folder)))
        stack.enter_context(warnings.catch_warnings())
        warnings.simplefilter("ignore")
        yield from RankWork(session, meeting, handed).run(spec)


class RankWork:
    """One rank at work: it builds the parts, reads, trains, and evaluates with the others.

    Attributes:
        session: What all of it shares.
        meeting: Where the ranks meet after each section.
        facts: What was seen until now.
    """

    def __init__(self, session: Session, meeting: RankMeeting, handed: HandedTensors) -> None:
        self.session, self.meeting = session, meeting
        self._trainer = RankTrainer(session, meeting, handed)
        self.facts = RankFacts(meeting.rank)
        self._pipeline: Pipeline | None = None

    def run(self, spec: WorkerSpec) -> Iterator[Event]:
        """Do the sections one after the other, as long as all ranks are well."""
        try:
            yield from self._load(spec)
            pipeline = self._pipeline
            goes_on = self._meet("building the parts")
            if goes_on and pipeline is not None:
                yield from self._section("one pass over the loader", self._pass, pipeline)
                goes_on = self._meet("the pass over the loader")
            if goes_on and pipeline is not None:
                yield from self._section("training steps", self._train, pipeline)
                goes_on = self._meet("the training steps")
            if goes_on and pipeline is not None and pipeline.evaluate is not None:
                yield from self._section("evaluate(model, dataset)", self._evaluate, pipeline)
                self._meet("evaluate()")
        except RanksApartError:
            pass  # what they did not agree on is in the facts
        yield self._tell(is_done=True)

    def _meet(self, section: str) -> bool:
        call = RankCall(self.meeting.rank, "", f"the end of {section}")
        return self.meeting.meet(call, is_well=not self.facts.failures)

    def _tell(self, *, is_done: bool = False) -> Observed:
        meeting = self.meeting
        self.facts = replace(
            self.facts, is_done=is_done, calls=meeting.calls, absences=meeting.absences
        )
        return Observed(self.facts)

    def _load(self, spec: WorkerSpec) -> Iterator[Event]:
        loading = Loading(self.session)
        for event in loading.run(spec):
            match event:
                case Progress(_, text, done, total):
                    yield Progress(Stage.DISTRIBUTED, text, done, total)
                case SpecMistake():
                    yield event
                case Observed(LoadFacts() as load):
                    self._note_failures(load)
        self._pipeline = loading.pipeline
        if self._pipeline is not None and self._pipeline.model is not None:
            self._note_model(self._pipeline.model)
        yield self._tell()

    def _note_failures(self, load: LoadFacts) -> None:
        if self.meeting.is_apart:
            return
        failed = [(f"building {part.name}", part.error) for part in load.parts if part.error]
        if load.import_error is not None:
            failed.append(("importing the pipeline", load.import_error))
        self.facts = replace(
            self.facts, failures=tuple(RankFailure(doing, error) for doing, error in failed)
        )

    def _note_model(self, model: nn.Module) -> None:
        is_part = is_sharded(model)
        own = {} if is_part else named_parameters(model)
        self.facts = replace(
            self.facts,
            parameters={name: tensor_digest(p) for name, p in own.items()},
            is_wrapped=bool(wrappers_in(model)),
            is_sharded=is_part,
            mentions=frameworks_mentioned(self.session.code),
        )

    def _section(
        self, doing: str, work: Callable[[Pipeline], RankFacts], pipeline: Pipeline
    ) -> Iterator[Event]:
        yield Progress(Stage.DISTRIBUTED, doing)
        found, error = self.session.attempt(lambda: work(pipeline))
        if found is not None:
            self.facts = found
        if error is not None and not self.meeting.is_apart:
            self.facts = replace(self.facts, failures=(RankFailure(doing, error),))
        yield self._tell()

    def _pass(self, pipeline: Pipeline) -> RankFacts:
        return replace(self.facts, data=look_at_rank_data(self.session, pipeline))

    def _train(self, pipeline: Pipeline) -> RankFacts:
        try:
            self._trainer.run(pipeline)
        finally:
            self.facts = replace(self.facts, training=self._trainer.facts)
        return self.facts

    def _evaluate(self, pipeline: Pipeline) -> RankFacts:
        own = OwnEvaluationObserver(self.session, pipeline).look()
        if own.error is None:
            return replace(self.facts, evaluation=own)
        if self.meeting.is_apart:
            return self.facts
        failure = RankFailure("evaluate(model, dataset)", own.error)
        return replace(self.facts, failures=(failure,))
