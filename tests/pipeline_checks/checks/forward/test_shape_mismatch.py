import pytest

from tdebug.pipeline_checks.checks.forward.shape_mismatch import shape_mismatch
from tdebug.pipeline_checks.facts import ModelFacts
from tdebug.pipeline_checks.facts.model import LayerFact

CONV = LayerFact("features.0", "Conv2d", {"in_channels": 3, "out_channels": 8})
OUT = LayerFact("out", "Linear", {"in_features": 512, "out_features": 5})
MODEL = ModelFacts("Net", layers=(CONV, OUT))


def only(training, model=None):
    (problem,) = shape_mismatch(training, model)
    return problem


def test_a_linear_layer_behind_a_larger_image_names_the_image_that_would_fit(failing, tensor):
    training = failing(
        "linear",
        (tensor(4, 1152), tensor(5, 512, name="out.weight")),
        [("[0]", (4, 3, 48, 48))],
        module="out",
        module_type="Linear",
        module_sizes={"in_features": 512},
    )
    problem = only(training, MODEL)
    assert "Linear 'out' takes 512 features but gets 1152" in problem.message
    assert "1152 = 8x12x12 from 48x48 images" in problem.message
    assert "512 = 8x8x8 would come from 32x32 images" in problem.message
    assert "32x32" in problem.hint
    assert "in_features=1152" in problem.hint


def test_a_linear_layer_before_which_flatten_is_missing(failing, tensor):
    problem = only(failing("linear", (tensor(4, 8, 6, 6), tensor(5, 288)), module="out"))
    assert "x.flatten(1)" in problem.hint


def test_samples_with_another_number_of_features(failing, tensor):
    operands = (tensor(4, 13, field="[0]"), tensor(5, 10))
    assert "the samples have 13 features" in only(failing("linear", operands)).hint


def test_a_fitting_linear_layer_is_not_to_blame(failing, tensor):
    assert not list(shape_mismatch(failing("linear", (tensor(4, 10), tensor(5, 10))), None))


def test_channels_that_stand_last_are_permuted(failing, tensor):
    problem = only(failing("conv2d", (tensor(4, 32, 32, 3), tensor(8, 3, 3, 3)), module="conv"))
    assert "takes 3 channels but gets 32" in problem.message
    assert "x.permute(0, 3, 1, 2)" in problem.hint


def test_grayscale_images_in_a_colour_network(failing, tensor):
    problem = only(failing("conv2d", (tensor(4, 1, 32, 32), tensor(8, 3, 3, 3))))
    assert '.convert("RGB")' in problem.hint


def test_grouped_channels_are_counted_whole(failing, tensor):
    operands = (tensor(4, 8, 16), tensor(8, 2, 3))
    assert not list(shape_mismatch(failing("conv1d", operands, module_sizes={"groups": 4}), None))


def test_a_transposed_convolution_takes_the_first_size_of_its_weight(failing, tensor):
    operands = (tensor(4, 8, 5, 5), tensor(16, 4, 2, 2))
    assert "takes 16 channels but gets 8" in only(failing("conv_transpose2d", operands)).message


def test_a_convolution_of_a_flat_input(failing, tensor):
    problem = only(failing("conv2d", (tensor(4, 48), tensor(8, 1, 3, 3))))
    assert "[batch, 1, height, width] but gets [4, 48]" in problem.message


def test_a_kernel_larger_than_the_feature_map(failing, tensor):
    problem = only(failing("conv2d", (tensor(4, 8, 1, 1), tensor(8, 8, 3, 3))))
    assert "a kernel of 3x3" in problem.message


def test_batch_norm_over_other_channels(failing, tensor):
    operands = (tensor(4, 16, 8, 8), tensor(32))
    training = failing("batch_norm", operands, module="bn", module_sizes={"num_features": 32})
    assert "normalizes 32 channels but gets 16" in only(training).message


def test_batch_norm_that_fits_is_left_to_others(failing, tensor):
    training = failing("batch_norm", (tensor(1, 16), tensor(16)))
    assert not list(shape_mismatch(training, None))


def test_layer_norm_over_another_width(failing, tensor):
    training = failing("layer_norm", (tensor(4, 7, 24), tensor(32)))
    assert "normalizes 32 features but gets 24" in only(training).message


def test_a_recurrent_layer_that_refused_its_input_itself(failing, tensor):
    training = failing(
        module="rnn",
        module_type="LSTM",
        module_sizes={"input_size": 8},
        module_inputs=(tensor(4, 10, 2),),
    )
    problem = only(training)
    assert "LSTM 'rnn' takes 8 features (input_size=8) but gets 2" in problem.message


def test_batch_norm_of_the_wrong_dimension(failing, tensor):
    training = failing(module="bn", module_type="BatchNorm2d", module_inputs=(tensor(4, 10),))
    assert "takes 4 dimensions but gets 2" in only(training).message


def test_a_product_whose_inner_sizes_differ(failing, tensor):
    problem = only(failing("matmul", (tensor(2, 5, 8), tensor(2, 5, 8))))
    assert "8 columns meet 5 rows" in problem.message
    assert "b.transpose(-2, -1)" in problem.hint


def test_a_product_whose_batches_differ(failing, tensor):
    problem = only(failing("bmm", (tensor(2, 5, 8), tensor(3, 8, 5))))
    assert "batch dimensions differ" in problem.message


def test_tensors_that_cannot_be_joined(failing, tensor):
    training = failing("cat", (tensor(4, 8, 16), tensor(4, 8, 15)), arguments=("1",))
    problem = only(training)
    assert "cat along dim 1" in problem.message
    assert "they differ in dimension 2" in problem.message
    assert "join along dim=2" in problem.hint


def test_a_sum_of_a_batch_and_a_row_each(failing, tensor):
    problem = only(failing("add", (tensor(4, 10, 8), tensor(4, 8))))
    assert "add of a tensor [4, 10, 8] and one [4, 8]" in problem.message
    assert "unsqueeze(1)" in problem.hint


@pytest.mark.parametrize("name", ["__iadd__", "__radd__", "add_", "__add__"])
def test_every_way_to_write_a_sum_is_known(failing, tensor, name):
    assert only(failing(name, (tensor(4, 3), tensor(4, 2)))).message.startswith("add of")


def test_a_sum_that_broadcasts_is_not_to_blame(failing, tensor):
    assert not list(shape_mismatch(failing("add", (tensor(4, 3), tensor(1, 3))), None))


def test_a_view_of_another_width(failing, tensor):
    problem = only(failing("view", (tensor(4, 16, 6, 6),), arguments=("-1", "400")))
    assert "view(-1, 400) needs a multiple of 400 numbers" in problem.message
    assert "holds 2304 (576 a row)" in problem.message
    assert "576 features" in problem.hint


def test_a_view_with_a_batch_size_written_out(failing, tensor):
    problem = only(failing("view", (tensor(3, 4, 5),), arguments=("8", "20")))
    assert "this batch has 3 rows, not 8" in problem.hint


def test_a_view_of_a_transposed_tensor(failing, tensor):
    problem = only(failing("view", (tensor(4, 5, 6),), arguments=("(4, 30)",)))
    assert ".reshape(...)" in problem.hint


def test_an_unknown_function_is_left_to_the_fallback(failing, tensor):
    assert not list(shape_mismatch(failing("einsum", (tensor(4, 3), tensor(4, 2))), None))


def test_a_feature_map_too_small_to_be_pooled(failing, tensor):
    problem = only(failing("max_pool2d", (tensor(4, 8, 1, 1),), module="pool"))
    assert "only [4, 8, 1, 1]" in problem.message
    assert "too small" in problem.hint


def test_a_mask_of_another_length(failing, tensor):
    problem = only(failing("__getitem__", (tensor(4, 10), tensor(4, 9, dtype="bool"))))
    assert "the mask [4, 9] does not fit the tensor [4, 10]" in problem.message


def test_images_without_a_channel_dimension_are_told_from_too_many_channels(failing, tensor):
    problem = only(failing("conv2d", (tensor(4, 8, 8), tensor(6, 1, 3, 3))))
    assert "x.unsqueeze(1) makes [4, 1, 8, 8]" in problem.hint
