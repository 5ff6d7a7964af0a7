"""The walk over told events, with checks of the test's own over real facts."""

import pytest

from tdebug.pipeline_checks import verdicts
from tdebug.pipeline_checks import walk as walk_module
from tdebug.pipeline_checks.checks import Check, Undecided
from tdebug.pipeline_checks.choice import Choice
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
from tdebug.pipeline_checks.facts import BatchFacts, LoadFacts, SampleFacts, SetupFacts
from tdebug.pipeline_checks.facts.load import PartFact
from tdebug.pipeline_checks.report import Location, Problem, Severity, Stage, Status
from tdebug.pipeline_checks.walk import SpecMistakesError, Walk, walk

LOAD, DATASET, COLLATE, FORWARD = Stage.LOAD, Stage.DATASET, Stage.COLLATE, Stage.FORWARD
SAMPLES, BATCHES = SampleFacts("Rows", 4, 4), BatchFacts()


def finds(*problems):
    def function(**facts):
        yield from problems

    return function


def crashes(**facts):
    raise ZeroDivisionError("in the check")
    yield


def cannot_know(**facts):
    raise Undecided("no labels were seen")
    yield


def entry(code, stage, function, needs=SampleFacts, **more):
    name = f"problem-{code[2:]}"
    return Check(code, name, stage, Severity.ERROR, function, {"facts": needs}, {}, **more)


@pytest.fixture
def register(monkeypatch):
    def use(*entries):
        ordered = tuple(sorted(entries, key=lambda one: one.code))
        monkeypatch.setattr(verdicts, "all_checks", lambda: ordered)
        monkeypatch.setattr(walk_module, "all_checks", lambda: ordered)

    return use


def stage(which, *facts, **ended):
    yield StageBegan(which)
    yield from (Observed(fact) for fact in facts)
    yield StageEnded(which, **ended)


def all_stages(ran=None):
    for which, facts in (
        (LOAD, ()),
        (DATASET, (SAMPLES,)),
        (COLLATE, (BATCHES,)),
        (FORWARD, ()),
    ):
        if ran is not None:
            ran.append(which)
        yield from stage(which, *facts, summary=f"looked at {which}")


def status_of(report):
    return {result.stage: result.status for result in report.stages}


def test_a_run_without_findings_passes_every_stage_that_ended(register):
    register(entry("TD199", DATASET, finds()))

    report = walk("a.yaml", all_stages())

    assert report.exit_code() == 0
    assert [s for s, status in status_of(report).items() if status is Status.PASSED] == [
        LOAD, DATASET, COLLATE, FORWARD,
    ]  # fmt: skip
    assert report.stages[1].summary == "looked at dataset"
    assert report.checks[0].status is Status.PASSED


def test_the_first_broken_stage_stops_the_walk(register):
    register(entry("TD199", DATASET, finds(Problem("the labels are wrong"))))
    ran = []

    report = walk("a.yaml", all_stages(ran))

    assert ran == [LOAD, DATASET]
    assert status_of(report)[DATASET] is Status.FAILED
    later = [result for result in report.stages if result.stage.rank > DATASET.rank]
    assert {(result.status, result.reason) for result in later} == {
        (Status.SKIPPED, "the dataset stage is broken")
    }
    assert report.exit_code() == 1


def test_a_warning_does_not_stop_the_walk(register):
    warning = Problem("a few copies", severity=Severity.WARNING)
    register(entry("TD199", DATASET, finds(warning)))
    ran = []

    report = walk("a.yaml", all_stages(ran))

    assert ran[-1] is FORWARD
    assert status_of(report)[DATASET] is Status.PASSED
    assert [f.severity for f in report.findings] == [Severity.WARNING]
    assert (report.exit_code(), report.exit_code(Severity.WARNING)) == (0, 1)


def test_a_cause_that_shows_later_still_breaks_its_own_stage(register):
    """The dataset's finding needs what collate saw; what collate found is its consequence."""
    register(
        entry("TD199", DATASET, finds(Problem("the cause")), needs=BatchFacts),
        entry("TD299", COLLATE, finds(Problem("the consequence")), needs=BatchFacts),
    )

    report = walk("a.yaml", all_stages())

    assert [f.message for f in report.findings] == ["the cause"]
    assert status_of(report)[DATASET] is Status.FAILED
    assert status_of(report)[COLLATE] is Status.SKIPPED
    assert [(c.code, c.status, c.reason) for c in report.checks] == [
        ("TD199", Status.FAILED, ""),
        ("TD299", Status.SKIPPED, "the dataset stage is broken"),
    ]


def test_all_findings_of_a_stage_are_told_worst_first(register):
    register(
        entry("TD197", DATASET, finds(Problem("an info", severity=Severity.INFO))),
        entry("TD198", DATASET, finds(Problem("first"), Problem("second"))),
        entry("TD199", DATASET, finds(Problem("third"))),
    )

    report = walk("a.yaml", all_stages())

    assert [f.message for f in report.findings] == ["first", "second", "third", "an info"]


def test_an_ignored_finding_stands_apart_and_the_walk_goes_on(register):
    register(entry("TD199", DATASET, finds(Problem("known"))))
    ran = []

    report = walk("a.yaml", all_stages(ran), Choice(ignore=("TD1",)))

    assert ran[-1] is FORWARD
    assert (report.findings, [f.message for f in report.ignored]) == ((), ["known"])
    assert report.checks[0].reason == "it was not selected"
    assert report.exit_code() == 0


def test_what_is_not_selected_is_ignored(register):
    register(
        entry("TD198", DATASET, finds(Problem("other"))),
        entry("TD199", DATASET, finds(Problem("wanted"))),
    )

    report = walk("a.yaml", all_stages(), Choice(select=("problem-199",)))

    assert [f.message for f in report.findings] == ["wanted"]
    assert [f.message for f in report.ignored] == ["other"]


def test_ignoring_wins_over_selecting(register):
    register(entry("TD199", DATASET, finds(Problem("known"))))

    report = walk("a.yaml", all_stages(), Choice(select=("TD1",), ignore=("TD199",)))

    assert report.findings == ()


def test_the_users_severity_wins_over_the_problems_and_the_checks(register):
    register(
        entry("TD198", DATASET, finds(Problem("a", severity=Severity.ERROR))),
        entry("TD199", DATASET, finds(Problem("b"))),
    )
    levels = {"TD1": Severity.WARNING, "problem-199": Severity.INFO}

    report = walk("a.yaml", all_stages(), Choice(severity=levels))

    assert [(f.message, f.severity) for f in report.findings] == [
        ("a", Severity.WARNING),
        ("b", Severity.INFO),
    ]


def test_a_fallback_is_dropped_where_another_check_says_more(register):
    register(
        entry("TD198", DATASET, finds(Problem("it raised")), is_fallback=True),
        entry("TD199", DATASET, finds(Problem("because of this"))),
    )

    report = walk("a.yaml", all_stages())

    assert [f.message for f in report.findings] == ["because of this"]
    assert report.checks[0].reason == "another check says more"


def test_a_fallback_speaks_where_no_other_check_found_an_error(register):
    register(
        entry("TD198", DATASET, finds(Problem("it raised")), is_fallback=True),
        entry("TD199", DATASET, finds(Problem("a hint", severity=Severity.WARNING))),
    )

    report = walk("a.yaml", all_stages())

    assert [f.message for f in report.findings] == ["it raised", "a hint"]


def test_a_check_that_crashes_is_errored_and_the_rest_is_told(register):
    register(
        entry("TD198", DATASET, crashes),
        entry("TD199", COLLATE, finds(Problem("found")), needs=BatchFacts),
    )

    report = walk("a.yaml", all_stages())

    assert report.checks[0].status is Status.ERRORED
    assert "ZeroDivisionError: in the check" in report.checks[0].traceback
    assert [f.message for f in report.findings] == ["found"]
    assert not report.is_complete
    assert report.exit_code() == 2


def test_a_check_that_cannot_know_is_skipped_with_its_reason(register):
    register(entry("TD199", DATASET, cannot_know))

    [result] = walk("a.yaml", all_stages()).checks

    assert (result.status, result.reason) == (Status.SKIPPED, "no labels were seen")


def test_a_check_whose_facts_never_came_is_skipped(register):
    register(entry("TD199", DATASET, finds(Problem("never")), needs=SetupFacts))

    [result] = walk("a.yaml", all_stages()).checks

    assert (result.status, result.reason) == (
        Status.SKIPPED,
        "what it looks at was not reached",
    )


def test_a_check_is_asked_again_when_its_facts_change(register):
    def count(facts):
        yield Problem(f"{facts.num_read} read", severity=Severity.WARNING)

    register(entry("TD199", DATASET, count))
    state = Walk("a.yaml")

    for number in (1, 2):
        for event in stage(DATASET, SampleFacts("Rows", 4, number)):
            state.take(event)

    assert [f.message for f in state.report().findings] == ["2 read"]


def test_a_check_is_not_asked_again_while_its_facts_stay(register):
    asked = []

    def count(facts):
        asked.append(facts)
        yield from ()

    register(entry("TD199", DATASET, count))

    walk("a.yaml", all_stages())

    assert asked == [SAMPLES]


def test_ctrl_c_keeps_what_was_found(register):
    register(entry("TD199", DATASET, finds(Problem("copies", severity=Severity.WARNING))))
    closed = []

    def events():
        try:
            yield from stage(DATASET, SAMPLES)
            yield StageBegan(COLLATE)
            raise KeyboardInterrupt
        finally:
            closed.append(True)

    report = walk("a.yaml", events())

    assert report.interrupted
    assert report.exit_code() == 130
    assert [f.message for f in report.findings] == ["copies"]
    assert report.stages[COLLATE.rank].reason == "it was stopped"
    assert closed == [True]


def test_ctrl_c_in_the_middle_of_a_stage_judges_what_was_seen_until_then(register):
    register(entry("TD199", DATASET, finds(Problem("bad label"))))

    def events():
        yield StageBegan(DATASET)
        yield Observed(SAMPLES)
        raise KeyboardInterrupt

    report = walk("a.yaml", events())

    assert [f.message for f in report.findings] == ["bad label"]


def test_the_death_of_the_worker_is_judged_with_what_was_seen(register):
    register(
        entry("TD099", LOAD, finds(Problem("it died", stage=DATASET)), needs=Death),
        entry("TD199", DATASET, finds(Problem("bad label"))),
    )

    def events():
        yield StageBegan(DATASET)
        yield Observed(SAMPLES)
        yield Death(DATASET, "signal", 11, "SIGSEGV", "dataset[17]")
        pytest.fail("nothing is run after a death")

    report = walk("a.yaml", events())

    assert [f.message for f in report.findings] == ["it died", "bad label"]
    assert status_of(report)[DATASET] is Status.FAILED


def test_mistakes_of_the_spec_are_told_together_with_their_lines(register):
    register()

    def events():
        yield StageBegan(LOAD)
        yield SpecMistake("a.yaml", 3, "there is no module 'x'.")
        yield SpecMistake("a.yaml", None, "'y' has no 'z'.", "Did you mean 'q'?")
        yield StageEnded(LOAD)

    with pytest.raises(SpecMistakesError) as caught:
        walk("a.yaml", events())

    assert str(caught.value) == (
        "a.yaml:3: there is no module 'x'.\na.yaml: 'y' has no 'z'. Did you mean 'q'?"
    )
    assert len(caught.value.mistakes) == 2


def test_mistakes_of_the_spec_are_told_also_when_the_run_ends_early(register):
    register()
    state = Walk("a.yaml")
    state.take(SpecMistake("a.yaml", 3, "there is no module 'x'."))

    with pytest.raises(SpecMistakesError):
        state.report(interrupted=True)


def test_a_finding_without_a_line_gets_that_of_its_part(register):
    register(
        entry("TD198", DATASET, finds(Problem("a", location=Location("own.py", 7)))),
        entry("TD199", DATASET, finds(Problem("b"))),
    )
    place = Location("train.py", 12, "build_dataset")
    load = LoadFacts((PartFact("model"), PartFact("dataset", location=place)))

    def events():
        yield from stage(LOAD, load)
        yield from stage(DATASET, SAMPLES)

    report = walk("a.yaml", events())

    assert [str(f.location) for f in report.findings] == ["own.py:7", "train.py:12"]


def test_notes_are_told_once_and_output_with_the_stage_that_failed(register):
    register(entry("TD199", DATASET, finds(Problem("broken"))))

    def events():
        yield Note("a loader was made up.")
        yield Output(LOAD, "loading\n")
        yield from stage(LOAD)
        yield Note("a loader was made up.")
        yield Output(DATASET, "reading\n")
        yield Output(DATASET, "still\n")
        yield from stage(DATASET, SAMPLES)

    report = walk("a.yaml", events())

    assert report.notes == ("a loader was made up.",)
    assert [result.output for result in report.stages[:2]] == ["", "reading\nstill\n"]


def test_a_stage_that_had_nothing_to_look_at_is_skipped_with_its_reason(register):
    register()

    report = walk("a.yaml", stage(DATASET, skipped_because="the loader has no dataset"))

    assert report.stages[DATASET.rank].status is Status.SKIPPED
    assert report.stages[DATASET.rank].reason == "the loader has no dataset"


def test_whoever_watches_sees_every_event(register):
    register()
    seen = []

    walk("a.yaml", iter([Progress(DATASET, "dataset[0]", 0, 4)]), watch=seen.append)

    assert seen == [Progress(DATASET, "dataset[0]", 0, 4)]


def test_the_device_and_the_versions_stand_in_the_report(register):
    register()

    report = walk("a.yaml", iter([Observed(SetupFacts("cuda:0", {"torch": "2.9"}))]))

    assert (report.device, report.versions) == ("cuda:0", {"torch": "2.9"})
