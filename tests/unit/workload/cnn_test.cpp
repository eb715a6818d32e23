#include "workload/cnn.hpp"

#include <gtest/gtest.h>

#include "config/catalogue.hpp"
#include "error_of.hpp"
#include "workload/model_layers.hpp"

namespace pipewright {
namespace {

using test::error_of;

std::vector<Layer> layers_of(const std::string& yaml, const WorkloadOptions& options = {}) {
  const config::Value value = config::parse(yaml, "x.yaml");
  return cnn_layers(read_cnn(value), options, value);
}

double flops(const std::vector<Layer>& layers) {
  double sum = 0;
  for (const Layer& layer : layers) sum += layer.model_flops;
  return sum;
}

// Multiply-adds of one forward pass as torchvision publishes them with its models.
TEST(Cnn, catalogue_networks_have_the_published_flops) {
  const std::vector<std::pair<const char*, double>> published = {
      {"vgg-16", 15.47e9},    {"alexnet", 0.714e9},    {"resnet-50", 4.09e9},
      {"resnet-101", 7.80e9}, {"resnet-152", 11.51e9}, {"inception-v3", 5.71e9}};
  for (const auto& [name, macs] : published) {
    const Model model = read_model(config::Catalogue().resolve("models", config::scalar(name)));
    const double found = flops(model_layers(model, {}, config::scalar(name))) / 2;
    EXPECT_NEAR(found / macs, 1, 0.005) << name;
  }
}

// 4 samples of 3 x 8 x 8 through 5 kernels of 3 x 3 with stride 2: 4 x 4 places.
TEST(Cnn, a_convolution_is_three_implicit_products) {
  const auto layers = layers_of("{input: [3, 8, 8], layers: [conv 2 1x1, conv 5 3x3 /2, dense 7]}",
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

TEST(Cnn, images_need_no_gradient) {
  const auto layers = layers_of("{input: [3, 8, 8], layers: [conv 2 1x1, dense 7]}");
  for (const Work& work : layers[0].input_gradient[0].kernels) EXPECT_NE(work.kernel, Kernel::gemm);
}

TEST(Cnn, what_is_saved_for_later_travels_with_every_cut_between) {
  const auto layers = layers_of(
      "{input: [1, 4, 4], layers: [{unit: [conv 3 1x1, {save: a}]}, max-pool 2x2 /2,"
      " up-conv 2 2x2, {concat: a}, dense 2]}",
      {.precision = DType::fp32});
  EXPECT_EQ(layers[0].output.count, 4 * (48 + 48));
  EXPECT_EQ(layers[1].output.count, 4 * (12 + 48));
  EXPECT_EQ(layers[2].output.count, 4 * (32 + 48));
  EXPECT_EQ(layers[3].output.count, 4 * (32 + 48));  // side by side now
  EXPECT_EQ(layers[4].output.count, 0);
}

TEST(Cnn, mistakes_name_the_place_and_what_would_be_right) {
  const auto error = [](const char* layers) {
    return error_of([&] { layers_of(std::string("{input: [3, 8, 8], layers: ") + layers + "}"); });
  };
  EXPECT_EQ(error("[conf 3 1x1]"),
            "x.yaml:1:29: error: unknown operation 'conf'; one of conv, up-conv, max-pool, "
            "average-pool, global-pool, dense");
  EXPECT_EQ(error("[conv 3 3]"), "x.yaml:1:29: error: '3' is no kernel such as 3x3");
  EXPECT_EQ(error("[conv 0 3x3]"),
            "x.yaml:1:29: error: the number of outputs in 'conv 0 3x3' must be above 0");
  EXPECT_EQ(error("[max-pool 9x9]"), "x.yaml:1:29: error: a window of 9x9 does not fit into 8x8");
  EXPECT_EQ(error("[{residual: [conv 4 1x1]}]"),
            "x.yaml:1:29: error: the residual's body gives 4x8x8 and its shortcut 3x8x8: they "
            "cannot be added");
  EXPECT_EQ(error("[{concat: a}]"), "x.yaml:1:29: error: nothing was saved as 'a' before");
  EXPECT_EQ(error("[]"), "x.yaml:1:28: error: a network needs a layer");
  EXPECT_EQ(error("[{repeat: 10000, layers: [{repeat: 10000, layers: [dense 1]}]}]"),
            "x.yaml:1:29: error: more than 100000 layers");
  EXPECT_EQ(error_of([] { layers_of("{input: [3, 8, 8], layers: [dense 3]}", {.tensor = 2}); }),
            "x.yaml:1:1: error: a convolutional network's layers cannot be split: tensor, context "
            "and expert must be 1");
}

}  // namespace
}  // namespace pipewright
