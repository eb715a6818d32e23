#include "workload/transformer/transformer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "error_of.hpp"
#include "transformers.hpp"

namespace pipewright::test::small_transformer {
namespace {

// A GPT small enough to reckon by hand: s = 128, b = 2, h = 64, a = 4, l = 3, V = 512.
constexpr double b = 2, s = 128, h = 64, a = 4, l = 3, V = 512;
TransformerShape small_gpt() { return gpt(3, 64, 4, 512); }
WorkloadOptions small_run() { return {.micro_batch = 2, .sequence = 128}; }

TEST(Transformer, model_flops_are_those_of_the_literature) {
  // arXiv 2104.04473: 24 B s l h^2 (1 + s/6h + V/12lh) forward, attention in full.
  const double expected = 24 * b * s * l * h * h * (1 + s / (6 * h) + V / (12 * l * h));
  EXPECT_DOUBLE_EQ(model_flops(layers_of(small_gpt(), small_run())), expected);
}

TEST(Transformer, kernels_of_unfused_attention_do_the_model_s_flops_and_twice_that_backward) {
  WorkloadOptions options = small_run();
  options.kernels.attention = AttentionKernel::unfused;
  const auto layers = layers_of(small_gpt(), options);
  const double forward = flops(layers, &Layer::forward);
  EXPECT_DOUBLE_EQ(forward, model_flops(layers));
  EXPECT_DOUBLE_EQ(flops(layers, &Layer::input_gradient) + flops(layers, &Layer::weight_gradient),
                   2 * forward);
}

TEST(Transformer, flash_attention_does_the_causal_half_and_five_products_backward) {
  const auto layers = layers_of(small_gpt(), small_run());
  const double pairs = s * (s + 1) / 2;
  const double products = 24 * b * s * h * h;  // the linear layers of one block
  EXPECT_DOUBLE_EQ(flops(layers[1].forward), products + 4 * b * pairs * h);
  EXPECT_DOUBLE_EQ(flops(layers[1].input_gradient), products + 10 * b * pairs * h);
  EXPECT_DOUBLE_EQ(flops(layers[1].weight_gradient), products);
}

TEST(Transformer, a_fused_loss_keeps_the_logits_in_place_of_fp32_probabilities_and_gradients) {
  const auto head = [](bool fused) {
    WorkloadOptions options = small_run();
    if (fused) options.kernels.loss.kernel = LossKernel::fused;
    return layers_of(small_gpt(), options).back();
  };
  const auto size = [](Bytes held) { return static_cast<double>(held.count); };
  const double logits = b * s * V;
  const double table = 2 * V * h;  // the gradient of its weights, before it is added up
  EXPECT_DOUBLE_EQ(size(head(false).stash) - size(head(true).stash), (4 - 2) * logits);
  EXPECT_DOUBLE_EQ(size(head(false).passing.transient), (4 + 2) * logits + table);
  EXPECT_DOUBLE_EQ(size(head(true).passing.transient), 2 * b * s * h + table);  // and of its input
}

// BERT's pooler over one token of each sequence, h (h + 1), and its classes, c (h + 1); the norm's
// 2 h.
TEST(Transformer, a_head_of_classes_has_no_table_and_sees_one_token_of_a_sequence) {
  TransformerShape shape = small_gpt();
  shape.ends.classes = 3;
  const Layer head = layers_of(shape, small_run()).back();
  EXPECT_DOUBLE_EQ(head.parameters, h * (h + 1) + 3 * (h + 1) + 2 * h);
  EXPECT_DOUBLE_EQ(head.tied.device_parameters, 0);
  EXPECT_DOUBLE_EQ(head.model_flops, 2 * b * h * (h + 3));
}

// 2 bytes a logit read and 2 written over them, forward and backward.
TEST(Transformer, a_fused_loss_moves_eight_bytes_a_logit) {
  WorkloadOptions options = small_run();
  options.kernels.loss.kernel = LossKernel::fused;
  const Layer head = layers_of(small_gpt(), options).back();
  for (const Segments* pass : {&head.forward, &head.input_gradient}) {
    double moved = 0;
    for (const Segment& segment : *pass)
      for (const Work& work : segment.kernels)
        if (work.kernel == Kernel::fused_loss)
          moved += static_cast<double>((work.read + work.written).count);
    EXPECT_DOUBLE_EQ(moved, 4 * b * s * V);
  }
}

TEST(Transformer, an_encoder_s_attention_sees_the_whole_sequence) {
  TransformerShape shape = small_gpt();
  shape.encoder = true;
  EXPECT_DOUBLE_EQ(flops(layers_of(shape, small_run())[1].forward),
                   24 * b * s * h * h + 4 * b * s * s * h);
}

TEST(Transformer, a_window_bounds_what_a_query_sees_in_its_blocks_only) {
  TransformerShape shape = small_gpt();
  shape.attention.window = 32;
  shape.attention.window_every = 2;
  const auto layers = layers_of(shape, small_run());
  // Queries 1..32 see 1..32 keys, the other 96 see 32.
  const double pairs = 32 * 33 / 2 + 96 * 32, products = 24 * b * s * h * h;
  EXPECT_DOUBLE_EQ(flops(layers[1].forward), products + 4 * b * pairs * h);
  EXPECT_DOUBLE_EQ(flops(layers[2].forward), products + 4 * b * (s * (s + 1) / 2) * h);
  EXPECT_DOUBLE_EQ(flops(layers[3].forward), flops(layers[1].forward));
}

TEST(Transformer, activations_follow_Korthikanti_s_formula) {
  // arXiv 2205.05198: s b h (10 + 24/t + 5 a s / (h t)) bytes a block.
  for (const int64_t t : {1, 2, 4}) {
    WorkloadOptions options = small_run();
    options.kernels.attention = AttentionKernel::unfused;
    options.tensor = t;
    const double td = static_cast<double>(t);
    const double expected = s * b * h * (10 + 24 / td + 5 * a * s / (h * td));
    EXPECT_EQ(static_cast<double>(layers_of(small_gpt(), options)[1].stash.count), expected) << t;
    options.sequence_parallel = true;
    const double sharded = s * b * h / td * (34 + 5 * a * s / h);
    EXPECT_EQ(static_cast<double>(layers_of(small_gpt(), options)[1].stash.count), sharded) << t;
  }
}

TEST(Transformer, flash_attention_keeps_a_statistic_in_place_of_the_scores) {
  const auto layers = layers_of(small_gpt(), small_run());
  EXPECT_EQ(static_cast<double>(layers[1].stash.count), s * b * h * 34 + 4 * a * s * b);
}

TEST(Transformer, a_gated_block_without_dropout_keeps_no_masks) {
  // Per token, 16 bits: block input, two norm outputs, middle residual: 4 x 2h; queries 2h, keys
  // and values 2 x 2h/2 with half as many heads, their sum's context 2h, statistic 4a; the two
  // halves of the gated MLP and their product 3 x 2f, f = 160.
  const auto layers =
      layers_of(transformer("{layers: 1, hidden: 64, heads: 4, kv_heads: 2, ffn: 160, gated: true, "
                            "vocabulary: 512, bias: false, norm: rmsnorm, positions: rope}"),
                small_run());
  EXPECT_EQ(static_cast<double>(layers[1].stash.count),
            s * b * (4 * 2 * h + 2 * h + 2 * h + 2 * h + 4 * a + 3 * 2 * 160));
}

TEST(Transformer, the_head_keeps_its_norm_and_logits_in_fp32) {
  // 4 s b h (1 + V/h) bytes (2205.05198, its end-stage term).
  const auto layers = layers_of(small_gpt(), small_run());
  EXPECT_EQ(static_cast<double>(layers.back().stash.count), 4 * s * b * h * (1 + V / h));
}

TEST(Transformer, in_fp32_activations_are_twice_as_large_but_for_the_masks) {
  WorkloadOptions options = small_run();
  options.precision = DType::fp32;
  EXPECT_EQ(static_cast<double>(layers_of(small_gpt(), options)[1].stash.count),
            s * b * h * (2 * 32 + 2) + 4 * a * s * b);
}

TEST(Transformer, under_fp8_operands_of_products_are_kept_in_one_byte) {
  WorkloadOptions options = small_run();
  options.precision = DType::fp8;
  // Of the 34 s b h: both norms' outputs and the activation's (2 + 2 + 8) halve; the context is
  // kept for the attention in bf16 and once more as an operand (+ 1).
  EXPECT_EQ(static_cast<double>(layers_of(small_gpt(), options)[1].stash.count),
            s * b * h * (34 - 6 + 1) + 4 * a * s * b);
}

TEST(Transformer, under_fp8_routers_and_heads_stay_in_bf16) {
  TransformerShape shape = small_gpt();
  shape.experts = Experts{.count = 8, .active = 2, .ffn = 64};
  WorkloadOptions options = small_run();
  options.precision = DType::fp8;
  const auto layers = layers_of(shape, options);
  for (const Segment& segment : layers[1].forward)
    for (const Work& work : segment.kernels)
      if (work.kernel == Kernel::gemm) {
        const bool router = work.shape[2] == 8;  // its output: a score an expert
        EXPECT_EQ(work.dtype, router ? DType::bf16 : DType::fp8);
      }
  for (const Segment& segment : layers.back().forward)
    for (const Work& work : segment.kernels) EXPECT_EQ(work.dtype, DType::bf16);
}

/// Bytes of all-to-alls of a block of 8 experts of width 64, 2 active, over 4 devices.
std::vector<int64_t> exchanged(const Experts& experts) {
  TransformerShape shape = small_gpt();
  shape.experts = experts;
  WorkloadOptions options = small_run();
  options.expert = 4;
  std::vector<int64_t> bytes;
  for (const CollectiveWork& work : collectives(layers_of(shape, options)[1].forward)) {
    if (work.kind == CollectiveKind::all_to_all) bytes.push_back(work.bytes.count);
  }
  return bytes;
}

double grouped_flops(const Experts& experts) {
  TransformerShape shape = small_gpt();
  shape.experts = experts;
  WorkloadOptions options = small_run();
  options.expert = 4;
  double flops = 0;
  const std::vector<Layer> layers = layers_of(shape, options);
  for (const Segment& segment : layers[1].forward)
    for (const Work& work : segment.kernels)
      if (work.kernel == Kernel::gemm && work.shape[0] == 2)  // two experts on a device
        flops += 2.0 * 2 * work.shape[1] * work.shape[2] * work.shape[3];
  return flops;
}

// 2 copies of b s tokens of h numbers in 16 bits, there and back. With 1.5 times the mean the
// busiest device gets as many times as much, with a capacity of 1.25 no more than that.
TEST(Transformer, the_busiest_device_of_an_expert_group_holds_up_the_others) {
  const auto even = static_cast<int64_t>(2 * b * s * h * 2);
  const Experts experts{.count = 8, .active = 2, .ffn = 64};
  EXPECT_EQ(exchanged(experts), (std::vector{even, even}));
  Experts uneven = experts;
  uneven.imbalance = 1.5;
  EXPECT_EQ(exchanged(uneven), (std::vector{even * 3 / 2, even * 3 / 2}));
  EXPECT_DOUBLE_EQ(grouped_flops(uneven), 1.5 * grouped_flops(experts));
  uneven.capacity = 1.25;
  EXPECT_EQ(exchanged(uneven), (std::vector{even * 5 / 4, even * 5 / 4}));
}

// A device has half of each of its experts, and works on twice the rows.
TEST(Transformer, experts_that_are_spread_and_cut_cost_as_much_and_weigh_half) {
  TransformerShape shape = small_gpt();
  shape.experts = Experts{.count = 8, .active = 2, .ffn = 64};
  WorkloadOptions options = small_run();
  options.expert = 4;
  const Layer whole = layers_of(shape, options)[1];
  options.expert_tensor = 2;
  const Layer half = layers_of(shape, options)[1];
  EXPECT_DOUBLE_EQ(flops(half.forward), flops(whole.forward));
  EXPECT_DOUBLE_EQ(half.device_expert_parameters, whole.device_expert_parameters / 2);
  EXPECT_DOUBLE_EQ(half.parameters, whole.parameters);
}

TEST(Transformer, a_boundary_is_one_activation) {
  WorkloadOptions options = small_run();
  options.tensor = 2;
  EXPECT_EQ(static_cast<double>(layers_of(small_gpt(), options)[1].output.count), 2 * s * b * h);
  options.sequence_parallel = true;
  EXPECT_EQ(static_cast<double>(layers_of(small_gpt(), options)[1].output.count), s * b * h);
}

TEST(Transformer, degrees_that_do_not_divide_the_model_are_misfits) {
  const auto error = [](const WorkloadOptions& options) {
    return error_of([&] { layers_of(small_gpt(), options); });
  };
  EXPECT_EQ(error({.sequence = 128, .tensor = 3}), "error: tensor 3 must divide heads 4");
  EXPECT_EQ(error({.sequence = 128, .context = 3}), "error: context 3 must divide sequence 128");
  EXPECT_EQ(
      error({.sequence = 128, .expert = 2}),
      "error: expert 2 needs a model with experts: this one has none, so that expert must be 1");
  EXPECT_EQ(error({.sequence = 3, .tensor = 2, .sequence_parallel = true}),
            "error: tensor 2 must divide the tokens of a device 3");
}

TEST(Transformer, a_tensor_beyond_any_machine_is_an_input_error) {
  EXPECT_EQ(error_of([] {
              layers_of(gpt(1, 4194304, 64, 512), {.micro_batch = 1, .sequence = INT64_C(1) << 40});
            }),
            "error: the model and batch make a tensor of more than 10^18 B");
}

}  // namespace
}  // namespace pipewright::test::small_transformer
