"""`explain`, the list and the reference page, on checks made here."""

import pytest

from tdebug.pipeline_checks.checks.registry import Check
from tdebug.pipeline_checks.report import Severity, Stage
from tdebug.pipeline_checks.reporters.documentation import read_documentation
from tdebug.pipeline_checks.reporters.explanation import render_explanation
from tdebug.pipeline_checks.reporters.listing import render_listing
from tdebug.pipeline_checks.reporters.look import Look
from tdebug.pipeline_checks.reporters.reference import render_reference


def labels_out_of_range():
    """Labels lie outside the classes of the model.

    A paragraph of details
    on two lines.

    Why it matters: on a GPU this is a device-side assert that
    names no sample.

    How to fix it: look at the labels:
    - subtract 1 where they count from 1;
    - build the model with more classes
      where they are right.

        model = Net(num_classes=4)
    """


def loud():
    """Gradients are | loud.

    Why it matters:
        they are.

    How to fix it:
        be calm.
    """


def make(function, code, stage, severity=Severity.ERROR):
    name = function.__name__.replace("_", "-")
    return Check(code, name, stage, severity, function, {}, {})


LABELS = make(labels_out_of_range, "TD104", Stage.DATASET)
LOUD = make(loud, "TD601", Stage.BACKWARD, Severity.WARNING)


def test_a_docstring_comes_apart():
    documentation = read_documentation(LABELS)
    assert documentation.title == "Labels lie outside the classes of the model."
    assert documentation.details == ("A paragraph of details on two lines.",)
    assert [heading for heading, _ in documentation.sections] == ["Why it matters", "How to fix it"]
    (items, code) = documentation.sections[1][1]
    assert items.split("\n") == [
        "look at the labels:",
        "- subtract 1 where they count from 1;",
        "- build the model with more classes where they are right.",
    ]
    assert code == "    model = Net(num_classes=4)"


def test_a_section_may_begin_on_its_own_line():
    assert read_documentation(LOUD).sections[0] == ("Why it matters", ("they are.",))


def test_the_explanation_is_what_was_looked_at(check_snapshot):
    text = render_explanation(LABELS, Look(width=80))
    check_snapshot(text, "explanation.txt")
    assert text.startswith("TD104 labels-out-of-range  error  dataset\n")
    assert "Why it matters: on a GPU" in text


def test_the_list_is_what_was_looked_at(check_snapshot):
    text = render_listing([LABELS, LOUD], Look(width=80))
    check_snapshot(text, "listing.txt")
    assert text.index("dataset\n") < text.index("TD104") < text.index("numerics\n")


def test_no_checks_make_an_empty_list():
    assert "TD" not in render_listing([], Look()).replace("tdebug", "")


def test_the_reference_has_documentation_and_cases(tmp_path, check_snapshot):
    folder = tmp_path / "labels_out_of_range"
    folder.mkdir()
    (folder / "bad.py").write_text("labels = [1, 2, 3]\n")
    (folder / "good.py").write_text("labels = [0, 1, 2]\n")
    text = render_reference([LABELS, LOUD], tmp_path)
    check_snapshot(text, "reference.md")
    assert "```python\nlabels = [1, 2, 3]\n```" in text
    assert text.count("```python") == 2
    assert "Gradients are \\| loud. |" in text


@pytest.mark.parametrize("check", [LABELS, LOUD])
def test_the_list_of_codes_links_to_the_entries(check, tmp_path):
    text = render_reference([LABELS, LOUD], tmp_path)
    assert f"(#{check.code.lower()}-{check.name})" in text
    assert f"### {check.code} {check.name}" in text
