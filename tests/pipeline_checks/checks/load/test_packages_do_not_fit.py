import pytest

from tdebug.pipeline_checks.checks import Undecided
from tdebug.pipeline_checks.checks.load.packages_do_not_fit import packages_do_not_fit
from tdebug.pipeline_checks.facts import PackageFacts
from tdebug.pipeline_checks.facts.packages import UnmetNeed


def test_both_packages_and_their_versions_are_named():
    need = UnmetNeed("transformers", "5.1.0", "accelerate>=1.1.0", "accelerate", "0.9.0")

    [problem] = packages_do_not_fit(PackageFacts((need,)))

    assert problem.message.startswith(
        "transformers 5.1.0 needs accelerate>=1.1.0, but accelerate 0.9.0"
    )
    assert "pip install 'accelerate>=1.1.0'" in problem.hint


def test_packages_that_fit_are_no_problem():
    assert not list(packages_do_not_fit(PackageFacts()))


def test_where_the_needs_cannot_be_read_it_is_said_so():
    with pytest.raises(Undecided, match="not installed"):
        list(packages_do_not_fit(PackageFacts(unknown_because="'packaging' is not installed")))
