"""What several ranks tell becomes one training."""

from tdebug.pipeline_checks.events import (
    Death,
    Note,
    Observed,
    Output,
    Progress,
    SpecMistake,
    StageBegan,
    StageEnded,
)
from tdebug.pipeline_checks.facts import LoadFacts, WatchFacts
from tdebug.pipeline_checks.facts.exceptions import ExceptionFact
from tdebug.pipeline_checks.facts.load import PartFact
from tdebug.pipeline_checks.facts.watching import DetectionFact
from tdebug.pipeline_checks.report import Stage
from tdebug.pipeline_checks.watching.rank_news import RankNews
from tdebug.pipeline_checks.watching.watch import watch_training

LOADED = (Observed(LoadFacts()), StageEnded(Stage.LOAD))
FAILED = (
    Observed(LoadFacts((PartFact("dataset", error=ExceptionFact("OSError", "no shard")),))),
    StageEnded(Stage.LOAD),
)


def tell(*told, num_ranks=2, given_up=()):
    """What is told on of `(rank, event)` pairs, and at the end."""
    news = RankNews(num_ranks)
    events = [event for rank, one in told for event in news.take(rank, one)]
    return [*events, *news.end(set(given_up), 1.0)]


def outcome_of(*told, **more):
    return watch_training("setup.py", iter(tell(*told, **more)))


def watched(ended_by, num_batches=3, **more):
    return Observed(WatchFacts(num_batches, num_batches - 1, ended_by=ended_by, **more))


def killed(number, name):
    return Death(Stage.FORWARD, "signal", number, name)


def test_progress_is_that_of_the_rank_that_is_furthest_behind():
    told = [(0, 4), (1, 2), (0, 5), (1, 5)]
    events = tell(*((r, Progress(Stage.FORWARD, f"batch {n}", n, 9)) for r, n in told))

    texts = [event.text for event in events if isinstance(event, Progress)]
    assert texts == ["rank 0: batch 4", "rank 1: batch 2", "rank 1: batch 2", "rank 0: batch 5"]


def test_what_all_ranks_say_alike_is_told_once():
    mistake = SpecMistake("tdebug.yaml", 3, "no such module.")
    said = [StageBegan(Stage.FORWARD), mistake, *LOADED]
    events = tell(*((rank, event) for event in said for rank in (0, 1)))

    assert [e for e in events if isinstance(e, SpecMistake)] == [mistake]
    assert [e for e in events if isinstance(e, StageBegan)] == [StageBegan(Stage.FORWARD)]
    assert [e.stage for e in events if isinstance(e, StageEnded)] == [Stage.LOAD, Stage.FORWARD]


def test_what_a_rank_prints_is_marked():
    (event, _, *_) = tell((1, Output(Stage.LOAD, "one\ntwo\n")))

    assert event == Output(Stage.LOAD, "[rank 1] one\n[rank 1] two\n")


def test_the_earliest_batch_is_first_and_then_the_place_in_the_step():
    later = DetectionFact(2, "forward", "output of 'a' (A)")
    earlier = DetectionFact(1, "weights after the step", "weight of 'a' (A)")
    facts = outcome_of(
        (0, watched("detection", detection=later)), (1, watched("detection", detection=earlier))
    ).facts

    assert (facts.first_ranks, facts.detection) == ((1,), earlier)


def test_a_rank_that_cannot_load_is_told_though_the_others_are_well():
    outcome = outcome_of(*((1, e) for e in FAILED), *((0, e) for e in LOADED), (0, watched("left")))

    assert (outcome.exit_code, outcome.has_failed) == (1, True)
    assert [finding.name for finding in outcome.report.findings] == ["factory-fails"]
    assert "rank 1 raised, and rank 0 did not" in outcome.report.notes[0]


def test_a_dead_rank_is_told_from_those_that_the_launcher_ended():
    outcome = outcome_of(
        (0, killed(15, "SIGTERM")), (1, killed(9, "SIGKILL")), (0, watched("left"))
    )

    (finding,) = outcome.report.findings
    assert (finding.name, finding.values["rank"]) == ("rank-died", 1)


def test_a_rank_for_which_the_others_waited_in_vain_is_named():
    told = [(0, watched("left")), (1, killed(9, "SIGKILL"))]
    outcome = outcome_of(*told, given_up=[1])

    (finding,) = outcome.report.findings
    assert (finding.name, finding.values["rank"]) == ("rank-silent", 1)
    assert finding.message == "rank 1 came to no end while the others waited."


def test_a_rank_that_had_to_be_ended_is_no_finding_beside_a_nan():
    found = DetectionFact(2, "loss", "the loss of batch 2 is nan")
    told = [(0, watched("detection", detection=found)), (1, killed(9, "SIGKILL"))]
    outcome = outcome_of(*told, given_up=[1])

    assert (outcome.exit_code, outcome.report.findings) == (1, ())
    assert outcome.facts.ranks[1].was_ended


def test_ranks_that_lost_each_other_for_no_reason_are_no_success():
    outcome = outcome_of((0, watched("left")), (1, watched("left")))

    assert outcome.exit_code == 1
    assert "the ranks lost each other" in outcome.report.notes[0]


def test_the_same_first_batch_everywhere_is_a_note():
    same = [(rank, watched("limit", first_batch="ab")) for rank in (0, 1)]
    other = [(rank, watched("limit", first_batch=str(rank))) for rank in (0, 1)]

    assert [e for e in tell(*same) if isinstance(e, Note)]
    assert not [e for e in tell(*other) if isinstance(e, Note)]
