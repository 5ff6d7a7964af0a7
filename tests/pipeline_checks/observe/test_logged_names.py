import ast

import pytest

from tdebug.pipeline_checks.checks.load.monitored_metric_not_logged import (
    monitored_metric_not_logged,
)
from tdebug.pipeline_checks.checks.registry import Undecided
from tdebug.pipeline_checks.facts import FittingFacts
from tdebug.pipeline_checks.facts.fitting import LoggedNames, WatchedMetric
from tdebug.pipeline_checks.observe.logged_names import _patterns
from tdebug.pipeline_checks.report import Severity


@pytest.mark.parametrize(
    ("source", "patterns"),
    [
        ('self.log("val_loss", x)', ["val_loss"]),
        ('self.log(value=x, name="val_loss")', ["val_loss"]),
        ('self.log(f"{stage}_loss", x)', [".*_loss"]),
        ('self.log("val_" + name, x)', ["val_.*"]),
        ("self.log(name, x)", [".*"]),
        ('self.log_dict({"a": 1, "b": 2})', ["a", "b"]),
        ('self.log_dict({"a": 1, **more})', ["a", ".*"]),
        ("module.log_dict(metrics)", [".*"]),
        ("log = self.log", [".*"]),
        ('getattr(self, "log")(name, x)', [".*"]),
        ('trainer.callback_metrics["a"] = x', [".*"]),
        ("math.log(x, 2), torch.log(x), x.log()", []),
        ('def test_step(self): self.log("test_loss", x)', ["test_loss"]),
        ('def validation_step(self): self.log("val_loss", x)', []),
    ],
)
def test_the_names_under_which_code_may_log_are_read_from_it(source, patterns):
    assert list(_patterns(ast.parse(source), "validation")) == patterns


def find(*patterns, name="val_loss", is_needed=True):
    watched = WatchedMetric("EarlyStopping", name, is_needed=is_needed)
    logged = LoggedNames(tuple(p for p in patterns if "*" not in p), patterns)
    return list(monitored_metric_not_logged(FittingFacts("Net", watched=(watched,), logged=logged)))


def test_a_metric_that_is_never_logged_is_told_with_those_that_are():
    [problem] = find("train_loss", "valid_loss")

    assert problem.message == (
        "EarlyStopping goes by 'val_loss', which Net never logs: it logs 'train_loss' and "
        "'valid_loss'. fit() raises at the end of the first epoch."
    )
    assert "monitor 'valid_loss'" in problem.hint


def test_a_checkpoint_without_its_metric_is_a_warning():
    [problem] = find(is_needed=False)

    assert problem.severity is Severity.WARNING
    assert "it logs nothing" in problem.message


@pytest.mark.parametrize(
    ("pattern", "name"),
    [
        ("val_loss", "val_loss"),
        ("val_loss", "val_loss_epoch"),
        ("val_loss", "val_loss_epoch/dataloader_idx_1"),
        (".*_loss", "val_loss"),
        ("train", "lr-Adam"),
    ],
)
def test_a_metric_that_may_be_logged_is_no_problem(pattern, name):
    assert not find(pattern, name=name)


def test_nothing_is_said_where_a_name_is_known_only_as_it_runs():
    with pytest.raises(Undecided):
        find("train_loss", ".*")
