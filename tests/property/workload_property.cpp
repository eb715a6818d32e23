// Laws of transformers as layers, over random shapes and degrees.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "transformers.hpp"

namespace pipewright {
namespace {

using namespace test;

int64_t pick(int64_t least, int64_t most) { return *rc::gen::inRange(least, most + 1); }
int64_t power(int64_t most) { return INT64_C(1) << pick(0, most); }

/// A transformer that degrees of 1, 2 and 4 divide.
TransformerShape any_shape() {
  TransformerShape shape;
  shape.layers = pick(1, 4);
  shape.attention.heads = 4 * power(2);
  shape.attention.kv_heads =
      *rc::gen::element(shape.attention.heads, shape.attention.heads / 2, INT64_C(1));
  shape.attention.head_dim = 8 * pick(1, 16);
  shape.hidden = 4 * pick(1, 100);
  shape.ffn = 4 * pick(1, 300);
  shape.ends.vocabulary = 4 * pick(1, 1000);
  shape.gated = *rc::gen::arbitrary<bool>();
  shape.bias = *rc::gen::arbitrary<bool>();
  shape.dropout = *rc::gen::arbitrary<bool>();
  shape.encoder = *rc::gen::arbitrary<bool>();
  shape.form = static_cast<BlockForm>(pick(0, 3));
  shape.ends.tied = *rc::gen::arbitrary<bool>();
  shape.positions = static_cast<Positions>(pick(0, 3));
  shape.norm = static_cast<Norm>(pick(0, 1));
  shape.attention.window = pick(0, 1) * pick(1, 300);
  if (*rc::gen::arbitrary<bool>())
    shape.experts = Experts{.count = 4 * power(2),
                            .active = pick(1, 4),
                            .shared = pick(0, 2),
                            .ffn = 4 * pick(1, 100),
                            .every = pick(1, 2)};
  if (*rc::gen::arbitrary<bool>())
    shape.attention.latent = LatentAttention{pick(0, 1) * pick(1, 64), pick(1, 64), 8, 4, 8};
  return shape;
}

/// The same with blocks of any kinds, which degrees of 1, 2 and 4 divide too.
TransformerShape any_kinds() {
  TransformerShape shape = any_shape();
  shape.kinds.state_space =
      StateSpace{.heads = 4 * power(2), .head_dim = 8, .state = 16, .groups = 4};
  shape.kinds.gated_delta = GatedDelta{.key_heads = 4,
                                       .value_heads = 4 * power(2),
                                       .key_dim = 8,
                                       .value_dim = 16,
                                       .rank = 4 * pick(0, 1)};
  shape.attention.window = pick(1, 300);
  if (!shape.attention.latent) {
    shape.attention.norm = static_cast<HeadNorm>(pick(0, 3));
    shape.attention.gate = *rc::gen::arbitrary<bool>();
  }
  shape.attention.sinks = *rc::gen::arbitrary<bool>();
  shape.ends.predicted = pick(0, 1);
  for (int block = 0; block < 4; ++block) {
    shape.kinds.mixers.push_back(static_cast<Mixer>(pick(0, 5)));
    shape.kinds.feeds.push_back(shape.experts ? static_cast<Feed>(pick(0, 2)) : Feed::dense);
  }
  return shape;
}

WorkloadOptions any_options() {
  WorkloadOptions options;
  options.micro_batch = pick(1, 3);
  options.sequence = 16 * pick(1, 32);
  options.precision = *rc::gen::element(DType::fp32, DType::bf16, DType::fp8, DType::nvfp4);
  options.kernels.attention = static_cast<AttentionKernel>(pick(0, 1));
  return options;
}

/// Any parts of a block.
Parts any_parts() {
  Parts parts;
  for (size_t part = 0; part < parts.size(); ++part) parts[part] = *rc::gen::arbitrary<bool>();
  return parts;
}

void each_work(const Layer& layer, const std::function<void(const Work&)>& visit) {
  for (const Segments* pass :
       {&layer.forward, &layer.recompute, &layer.input_gradient, &layer.weight_gradient})
    for (const Segment& segment : *pass)
      for (const Work& work : segment.kernels) visit(work);
}

RC_GTEST_PROP(EveryTransformer, has_no_negative_quantity_and_no_unbounded_shape, ()) {
  WorkloadOptions options = any_options();
  options.tensor = power(2);
  options.sequence_parallel = *rc::gen::arbitrary<bool>();
  options.recompute = {.block = *rc::gen::arbitrary<bool>(), .parts = any_parts()};
  TransformerShape shape = any_kinds();
  if (shape.attention.kv_heads < options.tensor) shape.attention.kv_heads = 1;
  // Logits of other vocabularies are laid in eights, and nothing is computed beyond their ends.
  shape.ends.vocabulary = 8 * options.tensor * *rc::gen::inRange(1, 10'000);
  for (const Layer& layer : layers_of(shape, options)) {
    RC_ASSERT(layer.stash >= Bytes{} && layer.passing.transient >= Bytes{} &&
              layer.output >= Bytes{});
    RC_ASSERT(layer.device_parameters >= layer.device_expert_parameters);
    RC_ASSERT(layer.device_expert_parameters >= 0);
    each_work(layer, [](const Work& work) {
      RC_ASSERT(work.flops >= 0);
      RC_ASSERT(work.read > Bytes{} && work.written > Bytes{});
      if (work.kernel == Kernel::gemm) {
        double flops = 2;
        for (const int64_t size : work.shape) flops *= static_cast<double>(size);
        RC_ASSERT(work.flops == flops);
      }
    });
  }
}

RC_GTEST_PROP(EveryTransformer, has_the_same_parameters_however_it_is_cut, ()) {
  TransformerShape shape = any_kinds();
  shape.attention.kv_heads = shape.attention.heads;
  const WorkloadOptions one = any_options();
  WorkloadOptions many = one;
  many.tensor = *rc::gen::element(INT64_C(2), INT64_C(4));
  const auto whole = layers_of(shape, one), part = layers_of(shape, many);
  RC_ASSERT(std::abs(parameters(part) - parameters(whole)) <= 1e-9 * parameters(whole));
  RC_ASSERT(std::abs(device_parameters(whole) - parameters(whole)) <= 1e-9 * parameters(whole));
  RC_ASSERT(std::abs(model_flops(part) - model_flops(whole)) <= 1e-9 * model_flops(whole));
}

RC_GTEST_PROP(EveryTransformer, gives_each_of_t_devices_a_t_th_of_the_products, ()) {
  TransformerShape shape = any_shape();
  shape.experts.reset();           // their rows round up, and the router is on every device
  shape.attention.latent.reset();  // the low-rank projections are on every device
  shape.encoder = false;           // its head has a layer on every device
  const WorkloadOptions one = any_options();
  WorkloadOptions many = one;
  many.tensor = *rc::gen::element(INT64_C(2), INT64_C(4));
  if (shape.attention.kv_heads % many.tensor != 0) shape.attention.kv_heads = shape.attention.heads;
  const auto whole = layers_of(shape, one), part = layers_of(shape, many);
  const double t = static_cast<double>(many.tensor);
  for (const auto pass : {&Layer::forward, &Layer::input_gradient, &Layer::weight_gradient}) {
    const double expected = flops(whole, pass);
    RC_ASSERT(std::abs(t * flops(part, pass) - expected) <= 1e-9 * expected);
  }
  RC_ASSERT(model_flops(whole) == model_flops(part));
  RC_ASSERT(parameters(whole) == parameters(part));
}

RC_GTEST_PROP(EveryTransformer, gives_each_of_g_devices_a_g_th_of_the_experts, ()) {
  TransformerShape shape = any_shape();
  shape.experts = Experts{.count = 4 * power(2), .active = pick(1, 4), .ffn = 4 * pick(1, 100)};
  const WorkloadOptions one = any_options();
  WorkloadOptions many = one;
  many.expert = *rc::gen::element(INT64_C(2), INT64_C(4));
  many.expert_tensor = power(2);
  many.gathers_tokens = *rc::gen::arbitrary<bool>();
  const auto whole = layers_of(shape, one), part = layers_of(shape, many);
  for (size_t i = 0; i < whole.size(); ++i) {
    RC_ASSERT(static_cast<double>(many.expert * many.expert_tensor) *
                  part[i].device_expert_parameters ==
              whole[i].device_expert_parameters);
    // Every device routes its own tokens, so it works as much as one that had all experts; rows
    // round up to whole tokens for each expert.
    const double expected = flops(whole[i].forward), got = flops(part[i].forward);
    RC_ASSERT(got <= expected);
    RC_ASSERT(parameters(whole) == parameters(part));
  }
}

RC_GTEST_PROP(EveryTransformer, keeps_what_it_does_not_run_again, ()) {
  // Recomputation moves bytes from the stash to the transient ones, where gradients on their way
  // are with it and without, and adds none.
  const TransformerShape shape = any_shape();
  WorkloadOptions options = any_options();
  const auto plain = layers_of(shape, options);
  options.recompute.parts = any_parts();
  const auto again = layers_of(shape, options);
  for (size_t i = 1; i + 1 < plain.size(); ++i) {
    const auto sum = [](const Layer& layer) {
      return layer.stash.count + layer.passing.transient.count;
    };
    RC_ASSERT(std::abs(sum(again[i]) - sum(plain[i])) <= 1);  // rounded apart
  }
}

}  // namespace
}  // namespace pipewright
