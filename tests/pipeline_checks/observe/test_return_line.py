import pytest
from torch import nn

from tdebug.pipeline_checks.observe.return_line import return_of_forward


class TwoReturns(nn.Module):
    def forward(self, x):
        if x is None:
            return None

        def inner():
            return x + 1

        class Unused:
            def late(self):
                return x

        return inner() * 2  # the last


class NoReturn(nn.Module):
    def forward(self, x):
        x.add_(1)


def test_the_last_return_of_forward_is_found(code):
    place = return_of_forward(TwoReturns(), code)

    assert place.code == "return inner() * 2  # the last"
    assert place.function == "forward"


@pytest.mark.parametrize("model", [NoReturn(), nn.Linear(1, 1), object()])
def test_without_a_return_in_the_user_s_code_there_is_none(model, code):
    assert return_of_forward(model, code) is None


def test_a_forward_without_source_has_none(code):
    made = type("Made", (nn.Module,), {"forward": eval("lambda self, x: x")})  # noqa: S307 - code without a file

    assert return_of_forward(made(), code) is None
