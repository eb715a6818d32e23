#include "workload/cnn/cnn.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "config/catalogue.hpp"
#include "error_of.hpp"
#include "transformers.hpp"
#include "workload/model/model_layers.hpp"

namespace pipewright::test {
namespace {

std::vector<Layer> cnn_layers_of(const std::string& yaml, const WorkloadOptions& options = {}) {
  const config::Value value = config::parse(yaml, "x.yaml");
  return cnn_layers(read_cnn(value), options, value);
}

// Multiply-adds of one forward pass as torchvision publishes them with its models.
TEST(Cnn, catalogue_networks_have_the_published_flops) {
  const std::vector<std::pair<const char*, double>> published = {
      {"vgg-16", 15.47e9},    {"alexnet", 0.714e9},    {"resnet-50", 4.09e9},
      {"resnet-101", 7.80e9}, {"resnet-152", 11.51e9}, {"inception-v3", 5.71e9}};
  for (const auto& [name, macs] : published) {
    const Model model = read_model(config::Catalogue().resolve("models", config::scalar(name)));
    const double found = model_flops(model_layers(model, {}, config::scalar(name))) / 2;
    EXPECT_NEAR(found / macs, 1, 0.005) << name;
  }
}

// 4 samples of 3 x 8 x 8 through 5 kernels of 3 x 3 with stride 2: 4 x 4 places.
TEST(Cnn, a_convolution_is_three_implicit_products) {
  const auto layers =
      cnn_layers_of("{input: [3, 8, 8], layers: [conv 2 1x1, conv 5 3x3 /2, dense 7]}",
                    {.micro_batch = 4, .precision = DType::fp32});
  const double work = 2.0 * 4 * 16 * 5 * 2 * 9;
  const Work& forward = layers[1].forward[0].kernels[0];
  EXPECT_EQ(forward.shape, (std::array<int64_t, 4>{1, 4 * 16, 5, 2 * 9}));
  EXPECT_EQ(forward.flops, work);
  EXPECT_EQ(forward.read.count, 4 * (4 * 2 * 64 + 5 * 2 * 9));
  EXPECT_EQ(forward.written.count, 4 * 4 * 5 * 16);
  EXPECT_EQ(layers[1].input_gradient[0].kernels.back().shape,
            (std::array<int64_t, 4>{1, 4 * 64, 2, 5 * 9}));
  EXPECT_EQ(layers[1].weight_gradient[0].kernels[0].shape,
            (std::array<int64_t, 4>{1, 5, 2 * 9, 4 * 16}));
  EXPECT_EQ(layers[1].parameters, 5 * 2 * 9 + 5);
  EXPECT_EQ(layers[1].output.count, 4 * 4 * 5 * 16);
  EXPECT_EQ(layers[2].parameters, 5 * 16 * 7 + 7);
}

// The same in fp16: 5 kernels lie as 8, depths of 18 and 45 as 24 and 48; places stay, as does
// work.
TEST(Cnn, channels_of_16_bits_lie_in_eights) {
  const auto layers =
      cnn_layers_of("{input: [3, 8, 8], layers: [conv 2 1x1, conv 5 3x3 /2, dense 7]}",
                    {.micro_batch = 4, .precision = DType::fp16});
  const Work& forward = layers[1].forward[0].kernels[0];
  EXPECT_EQ(forward.shape, (std::array<int64_t, 4>{1, 4 * 16, 8, 24}));
  EXPECT_EQ(forward.flops, 2.0 * 4 * 16 * 5 * 2 * 9);
  EXPECT_EQ(layers[1].input_gradient[0].kernels.back().shape,
            (std::array<int64_t, 4>{1, 4 * 64, 8, 48}));
  EXPECT_EQ(layers[1].weight_gradient[0].kernels[0].shape,
            (std::array<int64_t, 4>{1, 8, 24, 4 * 16}));
}

// BaPipe's layers that two devices share (arXiv 2012.12544): a piece has its outputs' weights and
// arithmetic, reads the whole input, and sends it on with the outputs that are there.
TEST(Cnn, pieces_of_a_layer_share_its_weights_and_arithmetic) {
  const char* network = "{input: [3, 8, 8], layers: [conv 4 3x3, conv 6 3x3, dense 8, dense 5]}";
  WorkloadOptions options{.micro_batch = 2, .precision = DType::fp32};
  const auto whole = cnn_layers_of(network, options);
  options.pieces = 2;
  const auto pieces = cnn_layers_of(network, options);
  ASSERT_EQ(pieces.size(), 7u) << "the last layer is whole";
  EXPECT_DOUBLE_EQ(model_flops(pieces), model_flops(whole));
  for (size_t k = 0; k < 3; ++k) {
    const Layer &first = pieces[2 * k], &second = pieces[2 * k + 1];
    EXPECT_DOUBLE_EQ(first.parameters + second.parameters, whole[k].parameters);
    EXPECT_EQ(second.output, whole[k].output);
    const Work &part = first.forward[0].kernels[0], &all = whole[k].forward[0].kernels[0];
    EXPECT_DOUBLE_EQ(2 * part.flops, all.flops);
    EXPECT_EQ(2 * part.written, all.written);
    EXPECT_EQ(part.read - part.weights, all.read - all.weights) << "the whole input";
  }
  EXPECT_EQ(pieces[2].output, whole[0].output + pieces[2].forward[0].kernels[0].written);
}

TEST(Cnn, channels_that_do_not_divide_are_not_cut) {
  const auto layers = cnn_layers_of("{input: [3, 8, 8], layers: [conv 5 3x3, conv 6 3x3, dense 5]}",
                                    {.micro_batch = 2, .pieces = 2});
  EXPECT_EQ(layers.size(), 4u);
}

// F(4x4, 3x3): 4 samples of 9 x 8 places are 4 x 3 x 2 tiles, each 36 multiplications a pair of
// channels, on transformed tensors of 36 / 16 and weights of 36 / 9 of the size.
TEST(Cnn, wide_kernels_of_3_run_by_winograd_in_fp32) {
  const auto layers =
      cnn_layers_of("{input: [3, 9, 8], layers: [conv 64 1x1, conv 96 3x3, dense 7]}",
                    {.micro_batch = 4, .precision = DType::fp32});
  const int64_t x = 4 * 4 * 72 * 64, y = 4 * 4 * 72 * 96, w = 4 * 36 * 64 * 96;
  const std::vector<Work>& forward = layers[1].forward[0].kernels;
  EXPECT_EQ(forward[0].read.count, w / 4);  // 9 of 36
  EXPECT_EQ(forward[0].written.count, w);
  EXPECT_EQ(forward[1].shape, (std::array<int64_t, 4>{36, 24, 96, 64}));
  EXPECT_EQ(forward[1].flops, 2.0 * 36 * 24 * 96 * 64);
  EXPECT_EQ(forward[1].read.count, x * 9 / 4 + w);
  EXPECT_EQ(forward[1].written.count, y * 9 / 4);
  EXPECT_EQ(forward[2].read.count, x + y * 9 / 4);  // both transforms
  EXPECT_EQ(forward[2].written.count, x * 9 / 4 + y);
  EXPECT_EQ(layers[1].input_gradient[0].kernels.back().shape,
            (std::array<int64_t, 4>{36, 24, 64, 96}));
  EXPECT_EQ(layers[1].model_flops, 2.0 * 4 * 72 * 96 * 64 * 9);  // the model's are as they were
}

// From 128 channels on either side the gradient of weights is made so too.
TEST(Cnn, weight_gradients_of_wider_kernels_run_by_winograd_in_fp32) {
  const auto layers = cnn_layers_of(
      "{input: [3, 9, 8], layers: [conv 128 1x1, conv 160 3x3, conv 64 3x3, dense 7]}",
      {.micro_batch = 4, .precision = DType::fp32});
  const int64_t x = 4 * 4 * 72 * 128, y = 4 * 4 * 72 * 160, w = 4 * 36 * 128 * 160;
  const std::vector<Work>& weights = layers[1].weight_gradient[0].kernels;
  EXPECT_EQ(weights[0].shape, (std::array<int64_t, 4>{36, 160, 128, 24}));
  EXPECT_EQ(weights[1].read.count, x + y);
  EXPECT_EQ(weights[2].read.count, w);
  EXPECT_EQ(weights[2].written.count, w / 4);
  EXPECT_EQ(layers[2].forward[0].kernels[1].shape[0], 36);
  EXPECT_EQ(layers[2].weight_gradient[0].kernels[0].shape[0], 1) << "64 channels on one side";
}

// F(5x5, 5x5): 9 x 9 multiplications for 25 places; 10 x 10 places are four tiles.
TEST(Cnn, wide_kernels_of_5_run_by_winograd_in_fp32) {
  const auto layers = cnn_layers_of("{input: [64, 10, 10], layers: [conv 64 5x5, dense 7]}",
                                    {.precision = DType::fp32});
  EXPECT_EQ(layers[0].forward[0].kernels[1].shape, (std::array<int64_t, 4>{81, 4, 64, 64}));
}

TEST(Cnn, narrow_strided_other_and_half_precision_kernels_run_as_one_product) {
  const auto products = [](const char* conv, DType precision) {
    const auto layers =
        cnn_layers_of(fmt::format("{{input: [64, 8, 8], layers: [{}, dense 7]}}", conv),
                      {.precision = precision});
    const std::vector<Work>& kernels = layers[0].forward[0].kernels;
    return std::ranges::find(kernels, Kernel::gemm, &Work::kernel)->shape[0];
  };
  EXPECT_EQ(products("conv 63 3x3", DType::fp32), 1);
  EXPECT_EQ(products("conv 64 3x3 /2", DType::fp32), 1);
  EXPECT_EQ(products("conv 64 7x7", DType::fp32), 1);
  EXPECT_EQ(products("conv 64 1x1", DType::fp32), 1);
  EXPECT_EQ(products("conv 64 3x3", DType::tf32), 1);
  EXPECT_EQ(products("conv 64 3x3", DType::fp16), 1);
  EXPECT_EQ(products("conv 64 3x3", DType::fp32), 36);
}

// Input of 2 x 16 and output of 6 x 16 numbers, each read and written once more a pass.
int64_t transposes(const char* layout, DType precision) {
  const auto layers = cnn_layers_of(
      fmt::format("{{input: [3, 4, 4]{}, layers: [conv 2 1x1, conv 6 1x1, dense 7]}}", layout),
      {.precision = precision});
  const auto moves = [&](const Work& work) {
    return work.kernel == Kernel::elementwise &&
           work.read.count == int64_t(element_bytes(precision)) * (2 + 6) * 16 &&
           work.written == work.read;
  };
  int64_t count = 0;
  for (const Segments* pass :
       {&layers[1].forward, &layers[1].input_gradient, &layers[1].weight_gradient})
    count += std::ranges::count_if(pass->front().kernels, moves);
  return count;
}

TEST(Cnn, matrix_units_take_images_that_lie_channels_first_transposed) {
  EXPECT_EQ(transposes("", DType::tf32), 3);
  EXPECT_EQ(transposes(", layout: channels-last", DType::tf32), 0);
  EXPECT_EQ(transposes("", DType::fp16), 0);
  EXPECT_EQ(transposes(", layout: channels-first", DType::fp16), 3);
  EXPECT_EQ(transposes(", layout: channels-first", DType::fp32), 0);  // no matrix units
}

// 5 x 16 numbers of 4 bytes: read and written where the bias is added, read where it is summed.
TEST(Cnn, a_bias_is_added_and_summed_by_kernels_of_its_own) {
  const char* net = "{{input: [3, 4, 4], norm: {}, layers: [conv 5 1x1, dense 7]}}";
  const auto with =
      cnn_layers_of(fmt::format(fmt::runtime(net), false), {.precision = DType::fp32});
  const auto without =
      cnn_layers_of(fmt::format(fmt::runtime(net), true), {.precision = DType::fp32});
  const Work& added = with[0].forward[0].kernels[1];
  EXPECT_EQ(added.read.count, 4 * 5 * 16);
  EXPECT_EQ(added.written.count, 4 * 5 * 16);
  EXPECT_EQ(with[0].weight_gradient[0].kernels[1].read.count, 4 * 5 * 16);
  EXPECT_EQ(without[0].weight_gradient[0].kernels.size(), 1U);  // the norm's, with the norm
}

TEST(Cnn, images_need_no_gradient) {
  const auto layers = cnn_layers_of("{input: [3, 8, 8], layers: [conv 2 1x1, dense 7]}");
  for (const Work& work : layers[0].input_gradient[0].kernels) EXPECT_NE(work.kernel, Kernel::gemm);
}

TEST(Cnn, what_is_saved_for_later_travels_with_every_cut_between) {
  const auto layers = cnn_layers_of(
      "{input: [1, 4, 4], layers: [{unit: [conv 3 1x1, {save: a}]}, max-pool 2x2 /2,"
      " up-conv 2 2x2, {concat: a}, dense 2]}",
      {.precision = DType::fp32});
  EXPECT_EQ(layers[0].output.count, 4 * (48 + 48));
  EXPECT_EQ(layers[1].output.count, 4 * (12 + 48));
  EXPECT_EQ(layers[2].output.count, 4 * (32 + 48));
  EXPECT_EQ(layers[3].output.count, 4 * (32 + 48));  // side by side now
  EXPECT_EQ(layers[4].output.count, 0);
}

// 4 places, 2 heads of width 4: two products of 2 x 2 heads x 4 x 4 x 4 FLOPs forward.
TEST(Cnn, attention_joins_every_place_with_every_other) {
  const auto layers = cnn_layers_of("{input: [24, 2, 2], layers: [attention 2, dense 2]}",
                                    {.precision = DType::fp32});
  const Work& forward = layers[0].forward[0].kernels[0];
  EXPECT_EQ(forward.shape, (std::array<int64_t, 4>{1, 2, 4, 4}));
  EXPECT_EQ(forward.flops, 2 * 2 * 2 * 4 * 4 * 4);
  EXPECT_EQ(layers[0].output.count, 4 * 8 * 4);
  EXPECT_EQ(layers[0].parameters, 0);
}

// Two of these cells in a row: the second one's state 1 is what entered the first.
constexpr const char* cells =
    "{input: [3, 4, 4], layers: [{repeat: 2, layers: [{cell: {input: [conv 5 1x1],"
    " previous: [conv 5 1x1], sums: [[[0], [1, conv 5 3x3]], [[2], [2, max-pool 3x3 pad 1]]],"
    " concat: [0, 3]}}]}, dense 2]}";

TEST(Cnn, a_cell_takes_what_entered_the_one_before_and_that_crosses_cuts) {
  const auto layers = cnn_layers_of(cells, {.precision = DType::fp32});
  EXPECT_EQ(layers[0].parameters, (3 * 5 + 5) + (3 * 5 + 5) + (5 * 5 * 9 + 5));
  EXPECT_EQ(layers[1].parameters, (10 * 5 + 5) + (3 * 5 + 5) + (5 * 5 * 9 + 5));
  EXPECT_EQ(layers[0].output.count, 4 * (10 * 16 + 3 * 16));
  EXPECT_EQ(layers[1].output.count, 4 * (10 * 16 + 10 * 16));
}

// arXiv 1811.06965, Table 1: with twice the filters, (18, 416), 318M parameters.
TEST(Cnn, amoebanet_of_twice_the_width_has_the_published_parameters) {
  const config::Value model = config::Catalogue().resolve("models", config::scalar("amoebanet-d"));
  CnnShape shape = read_cnn(*model.find("cnn"));
  const std::function<void(std::vector<CnnStep>&)> widen = [&](std::vector<CnnStep>& steps) {
    for (CnnStep& step : steps) {
      if (step.kind == CnnStep::Kind::conv) step.channels *= 2;
      for (std::vector<CnnStep>& part : step.parts) widen(part);
    }
  };
  widen(shape.layers);
  double parameters = 0;
  for (const Layer& layer : cnn_layers(shape, {}, model)) parameters += layer.parameters;
  EXPECT_NEAR(parameters / 318e6, 1, 0.005);
}

// No gradient needs what the sum is made of.
TEST(Cnn, a_sum_is_kept_in_place_of_what_the_body_gives) {
  const auto plain = cnn_layers_of("{input: [3, 8, 8], layers: [conv 3 1x1, dense 7]}", {});
  const auto sum =
      cnn_layers_of("{input: [3, 8, 8], layers: [{residual: [conv 3 1x1]}, dense 7]}", {});
  EXPECT_EQ(sum[0].stash, plain[0].stash);
}

TEST(Cnn, mistakes_name_the_place_and_what_would_be_right) {
  const auto error = [](const char* layers) {
    return error_of(
        [&] { cnn_layers_of(std::string("{input: [3, 8, 8], layers: ") + layers + "}"); });
  };
  EXPECT_EQ(error("[conf 3 1x1]"),
            "x.yaml:1:29: error: unknown operation 'conf'; one of conv, up-conv, max-pool, "
            "average-pool, global-pool, dense, attention");
  EXPECT_EQ(error("[conv 3 3]"), "x.yaml:1:29: error: '3' is no kernel such as 3x3");
  EXPECT_EQ(error("[conv 0 3x3]"),
            "x.yaml:1:29: error: the number of outputs in 'conv 0 3x3' must be above 0");
  EXPECT_EQ(error("[max-pool 9x9]"), "x.yaml:1:29: error: a window of 9x9 does not fit into 8x8");
  EXPECT_EQ(error("[{residual: [conv 4 1x1]}]"),
            "x.yaml:1:29: error: the residual's body gives 4x8x8 and its shortcut 3x8x8: they "
            "cannot be added");
  EXPECT_EQ(error("[{concat: a}]"), "x.yaml:1:29: error: nothing was saved as 'a' before");
  EXPECT_EQ(
      error("[attention 2]"),
      "x.yaml:1:29: error: 3 channels are not queries, keys and values of 2 heads: 6 would do");
  EXPECT_EQ(error("[{cell: {input: [], previous: [], sums: [[[0], [2]]], concat: [2]}}]"),
            "x.yaml:1:76: error: '2' must be a whole number from 0 to 1");
  EXPECT_EQ(error("[{cell: {input: [conv 4 1x1], previous: [], sums: [[[0], [1]]], concat: [2]}}]"),
            "x.yaml:1:29: error: state 2 would be a sum of 4x8x8 and 3x8x8");
  EXPECT_EQ(error("[]"), "x.yaml:1:28: error: a network needs a layer");
  EXPECT_EQ(error("[{repeat: 10000, layers: [{repeat: 10000, layers: [dense 1]}]}]"),
            "x.yaml:1:29: error: more than 100000 layers");
  EXPECT_EQ(error_of([] { cnn_layers_of("{input: [3, 8, 8], layers: [dense 3]}", {.tensor = 2}); }),
            "x.yaml:1:1: error: a convolutional network's weights cannot be split: tensor, context "
            "and expert must be 1; parallel.spatial splits its images");
}

}  // namespace
}  // namespace pipewright::test
