// A vision tower by hand: h' = 32, two blocks of 4 heads, an MLP of 64; patches of 4 x 4 pixels,
// squares of 2 x 2 of them become a token of the text, h = 64 wide.
#include <gtest/gtest.h>

#include "error_of.hpp"
#include "transformers.hpp"

namespace pipewright::test::vision {
namespace {

constexpr double h = 64, v = 32, f = 64, pixels = 3 * 4 * 4, merged = 4 * v;

std::string text(const std::string& tower) {
  return "{layers: 2, hidden: 64, heads: 4, vocabulary: 100, bias: false, norm: rmsnorm, "
         "positions: rope" +
         tower + "}";
}
std::string vision(const std::string& more = "patches: {side: 4}, projector: {merge: 2}") {
  return ", vision: {layers: 2, hidden: 32, heads: 4, ffn: 64, bias: false, norm: rmsnorm, " +
         more + "}";
}

/// Two images of 32 pixels: 64 patches and 16 tokens each.
WorkloadOptions with_images(WorkloadOptions options = {}) {
  options.sequence = 128;
  options.images = {2, 32};
  return options;
}

std::vector<Layer> layers(const std::string& tower, const WorkloadOptions& options) {
  return layers_of(transformer(text(tower)), options);
}

TEST(Vision, without_images_it_is_the_text_alone) {
  const auto alone = layers("", {.sequence = 128}), beside = layers(vision(), {.sequence = 128});
  ASSERT_EQ(alone.size(), beside.size());
  for (size_t k = 0; k < alone.size(); ++k) {
    EXPECT_EQ(alone[k].name, beside[k].name);
    EXPECT_EQ(alone[k].stash.count, beside[k].stash.count);
    EXPECT_EQ(flops(alone[k].forward), flops(beside[k].forward));
  }
}

// Patches, two blocks and the projector stand in front; the text behind them is as it was.
TEST(Vision, its_layers_are_added_in_front_of_the_text) {
  const auto alone = layers("", {.sequence = 128}), beside = layers(vision(), with_images());
  ASSERT_EQ(beside.size(), alone.size() + 4);
  const char* names[] = {"patches", "vision block 0", "vision block 1", "projector"};
  for (size_t k = 0; k < 4; ++k) {
    EXPECT_EQ(beside[k].name, names[k]);
    EXPECT_EQ(beside[k].kind, LayerKind::tower);
  }
  for (size_t k = 0; k < alone.size(); ++k) {
    EXPECT_EQ(beside[k + 4].name, alone[k].name);
    EXPECT_EQ(flops(beside[k + 4].forward), flops(alone[k].forward));
    EXPECT_EQ(beside[k + 4].stash.count, alone[k].stash.count);
  }
}

TEST(Vision, has_the_parameters_of_the_hand_count) {
  const auto some = layers(vision(), with_images());
  EXPECT_DOUBLE_EQ(some[0].parameters, pixels * v);
  EXPECT_DOUBLE_EQ(some[1].parameters, 4 * v * v + 2 * v * f + 2 * v);
  EXPECT_DOUBLE_EQ(some[3].parameters, merged * h);
}

// A bias, a table of 65 rows, a class token and a norm of patches; a last norm, a norm of what is
// merged, a product in between, and biases, in three projectors.
TEST(Vision, each_part_adds_its_parameters) {
  const auto some = layers(
      vision("patches: {side: 4, frames: 2, bias: true, positions: 65, class_token: true, norm: "
             "true}, projector: {merge: 2, last_norm: true, norm: layernorm, norms_merged: true, "
             "widths: [48], bias: true, deep: 2}"),
      with_images());
  EXPECT_DOUBLE_EQ(some[0].parameters, 2 * pixels * v + v + 65 * v + v + v);
  EXPECT_DOUBLE_EQ(some[3].parameters, v + 3 * (2 * merged + merged * 48 + 48 + 48 * h + h));
}

// Twice as many images, or as many in twice the sequences, are twice the work of the tower.
TEST(Vision, its_work_grows_with_the_images) {
  const auto flops_of_tower = [](int64_t sequences, int64_t images) {
    WorkloadOptions options = with_images({.micro_batch = sequences});
    options.images.count = images;
    const auto all = layers(vision(), options);
    return flops(std::vector<Layer>(all.begin(), all.begin() + 4), &Layer::forward);
  };
  EXPECT_DOUBLE_EQ(flops_of_tower(1, 4), 2 * flops_of_tower(1, 2));
  EXPECT_DOUBLE_EQ(flops_of_tower(2, 2), 2 * flops_of_tower(1, 2));
}

// 2 images of q = 64 patches: products with weights are 2 FLOPs a weight and patch, attention is
// 4 q h' a patch, for every patch sees all; the projector works on a quarter of the rows.
TEST(Vision, has_the_flops_of_an_encoder) {
  constexpr double q = 64, rows = 2 * q;
  const auto some = layers(vision(), with_images());
  EXPECT_DOUBLE_EQ(flops(some[0].forward), 2 * rows * pixels * v);
  EXPECT_DOUBLE_EQ(flops(some[1].forward), 2 * rows * (4 * v * v + 2 * v * f) + 4 * rows * q * v);
  EXPECT_DOUBLE_EQ(flops(some[3].forward), 2 * rows / 4 * merged * h);
  EXPECT_DOUBLE_EQ(flops(some[0].input_gradient), 0);
}

// In chunks of 16 patches each sees 16 of 64.
TEST(Vision, chunks_of_patches_see_themselves) {
  const auto core = [](const std::string& mixers) {
    double sum = 0;
    const auto some =
        layers(vision("patches: {side: 4}, window: 16, mixers: " + mixers), with_images());
    for (const Segment& segment : some[1].forward)
      for (const Work& work : segment.kernels)
        if (work.kernel == Kernel::attention) sum += work.flops;
    return sum;
  };
  EXPECT_DOUBLE_EQ(core("chunked"), core("full") / 4);
}

// Megatron-LM turns sequence and context parallelism off in the tower.
TEST(Vision, tensor_ranks_cut_its_blocks_alone) {
  const auto whole = layers(vision(), with_images());
  const auto half = layers(vision(), with_images({.tensor = 2, .sequence_parallel = true}));
  EXPECT_DOUBLE_EQ(half[0].device_parameters, whole[0].device_parameters);
  EXPECT_DOUBLE_EQ(half[3].device_parameters, whole[3].device_parameters);
  EXPECT_DOUBLE_EQ(flops(half[1].forward), flops(whole[1].forward) / 2);
  for (const CollectiveWork& sum : collectives(half[1].forward))
    EXPECT_EQ(sum.kind, CollectiveKind::all_reduce);
  const auto context = layers(vision(), with_images({.context = 2}));
  EXPECT_DOUBLE_EQ(flops(context[1].forward), flops(whole[1].forward));
}

TEST(Vision, tensor_ranks_cut_its_heads) {
  const std::string tower = ", vision: {layers: 2, hidden: 32, heads: 2, patches: {side: 4}}";
  EXPECT_EQ(error_of([&] { layers(tower, with_images({.tensor = 4})); }),
            "error: tensor 4 must divide vision.heads 2");
}

// Megatron-LM's --freeze-ViT: the tower has a forward pass, the projector its weights' gradients.
TEST(Vision, a_frozen_tower_has_no_backward_pass_and_keeps_nothing) {
  WorkloadOptions options = with_images();
  const auto trained = layers(vision(), options);
  options.frozen.vision = true;
  const auto frozen = layers(vision(), options);
  ASSERT_EQ(frozen.size(), trained.size());
  for (size_t k = 0; k < 3; ++k) {
    EXPECT_EQ(flops(frozen[k].forward), flops(trained[k].forward));
    EXPECT_EQ(kernels(frozen[k].input_gradient) + kernels(frozen[k].weight_gradient), 0u);
    EXPECT_EQ(frozen[k].stash, Bytes{});
    EXPECT_EQ(frozen[k].trained, 0);
  }
  EXPECT_FALSE(frozen[3].trained.has_value());
  EXPECT_EQ(flops(frozen[3].weight_gradient), flops(trained[3].weight_gradient));
  EXPECT_LT(flops(frozen[3].input_gradient), flops(trained[3].input_gradient) + 1);
  for (size_t k = 4; k < frozen.size(); ++k)
    EXPECT_EQ(flops(frozen[k].weight_gradient), flops(trained[k].weight_gradient));
}

// --freeze-LM: gradients go through the text to the projector, and to no weights of it.
TEST(Vision, a_frozen_text_hands_gradients_on) {
  WorkloadOptions options = with_images();
  const auto trained = layers(vision(), options);
  options.frozen.text = true;
  const auto frozen = layers(vision(), options);
  for (size_t k = 4; k < frozen.size(); ++k) {
    EXPECT_EQ(flops(frozen[k].weight_gradient), 0);
    EXPECT_EQ(flops(frozen[k].input_gradient), flops(trained[k].input_gradient));
    EXPECT_EQ(frozen[k].trained, 0);
  }
  for (size_t k = 0; k < 4; ++k) EXPECT_FALSE(frozen[k].trained.has_value());
}

TEST(Vision, what_is_frozen_is_there_and_leaves_something_to_train) {
  WorkloadOptions options{.sequence = 128};
  options.frozen.vision = true;
  EXPECT_NE(error_of([&] { layers("", options); }).find("needs a model with a vision tower"),
            std::string::npos);
  options.frozen = {.text = true};
  EXPECT_NE(error_of([&] { layers(vision(), options); }).find("leaves nothing to train"),
            std::string::npos);
}

}  // namespace
}  // namespace pipewright::test::vision
