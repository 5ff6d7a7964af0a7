from tdebug.pipeline_checks.checks.step.clip_before_unscale import clip_before_unscale


def test_clipping_scaled_gradients_is_found(loop):
    (problem,) = clip_before_unscale(loop("zbnS"))
    assert "before scaler.unscale_()" in problem.message
    assert problem.location.line == 12


def test_clipping_after_unscale_is_fine(loop):
    assert not list(clip_before_unscale(loop("zbunS", "zbunS")))


def test_clipping_without_a_scaler_is_fine(loop):
    assert not list(clip_before_unscale(loop("zbns")))
