"""`CHECKS.md` is generated: `tdebug checks --markdown > CHECKS.md`."""

from pathlib import Path

from tdebug.pipeline_checks.checks import all_checks

PAGE = Path(__file__).parents[2] / "CHECKS.md"


def test_the_reference_page_is_the_one_that_the_checks_give(run_here):
    assert run_here("checks", "--markdown").out == PAGE.read_text(encoding="utf-8")


def test_the_reference_page_has_an_entry_for_every_check():
    page = PAGE.read_text(encoding="utf-8")
    assert [c.name for c in all_checks() if f"\n### {c.code} {c.name}\n" not in page] == []
