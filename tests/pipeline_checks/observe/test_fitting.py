import pytest

from tdebug.pipeline_checks.observe.function_tree import means_to_return_nothing


def forgotten(self):
    self.optimizer = self.make()


def forgotten_on_one_way(self):  # noqa: RET503 - it is what the test is about
    if self.is_ready:
        return self.make()


def with_a_function_inside(self):
    def nothing():
        return None

    self.make(nothing)


def said(self):
    """This module trains nothing."""
    return None  # noqa: RET501 - it is what the test is about


def said_on_one_way(self):
    if self.is_ready:
        return self.make()
    return  # noqa: RET502 - it is what the test is about


def empty(self):
    """This module trains nothing."""


@pytest.mark.parametrize("function", [forgotten, forgotten_on_one_way, with_a_function_inside])
def test_a_return_that_is_missing_is_seen(function):
    assert not means_to_return_nothing(function)


@pytest.mark.parametrize("function", [said, said_on_one_way, empty, lambda self: None, len])
def test_a_function_that_says_that_it_gives_nothing_is_believed(function):
    assert means_to_return_nothing(function)
