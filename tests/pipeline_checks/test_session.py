import pytest

from tdebug.pipeline_checks.session import Budget, Session


def test_what_user_code_raises_becomes_a_fact():
    value, error = Session().attempt(lambda: 1 / 0)

    assert (value, error.type) == (None, "ZeroDivisionError")
    assert Session().attempt(lambda: 3) == (3, None)


class Stop(BaseException):
    """Of the user's own, and no Exception."""


@pytest.mark.parametrize("error", [SystemExit, ValueError, GeneratorExit, Stop])
def test_an_exit_is_caught_as_an_error_is(error):
    def fail():
        raise error

    assert Session().attempt(fail)[1].type.endswith(error.__name__)
    assert Session(is_worker=True).attempt(fail)[1].type.endswith(error.__name__)


def test_ctrl_c_ends_the_run_in_this_process_and_is_a_fact_in_a_worker():
    def stop():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Session().attempt(stop)
    assert Session(is_worker=True).attempt(stop)[1].type == "KeyboardInterrupt"


def test_the_debugger_is_asked_before_the_error_becomes_a_fact():
    seen = []

    Session(on_error=seen.append).attempt(lambda: 1 / 0)

    assert [type(error) for error in seen] == [ZeroDivisionError]


def test_an_error_that_is_none_of_the_users_code_is_raised_again():
    error = ValueError()

    assert Session().own(error) is error
    with pytest.raises(KeyboardInterrupt):
        Session().own(KeyboardInterrupt())


def test_a_budget_is_spent_after_its_seconds():
    assert Budget(0.0).is_spent
    assert not Budget(100.0).is_spent
    assert Budget(2.5).cut("the dataset stage").text == (
        "the budget of 2.5 s ended the dataset stage."
    )
