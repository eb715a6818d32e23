// What of a block is in CUDA graphs, by counts of kernels.
#include "workload/transformer/graphs.hpp"

#include <gtest/gtest.h>

#include "transformers.hpp"

namespace pipewright::test::graphs {
namespace {

using enum GraphedModule;

struct Counted {
  int kernels = 0, outside = 0, graphs = 0, collectives_outside = 0;
};

Counted count(const Segments& pass) {
  Counted counted;
  for (const Segment& segment : pass) {
    for (const Work& work : segment.kernels) {
      ++counted.kernels;
      counted.outside += work.captured == Captured::no;
      counted.graphs += work.captured == Captured::opens;
    }
    counted.collectives_outside += segment.collective && !segment.captured;
  }
  return counted;
}

const char* const dense = "{layers: 2, hidden: 64, heads: 4, vocabulary: 512}";
const char* const mixture =
    "{layers: 1, hidden: 64, heads: 4, vocabulary: 512, bias: false, gated: true, "
    "experts: {count: 8, active: 2, shared: 1, ffn: 96, capacity: 2}}";

Layer graphed(const char* model, std::initializer_list<GraphedModule> modules,
              WorkloadOptions options = {}) {
  options.sequence = 128;
  for (const GraphedModule module : modules) options.graphs.add(module);
  return layers_of(transformer(model), options)[1];
}

TEST(BlockGraphs, attention_and_the_mlp_are_all_of_a_dense_block) {
  for (const auto pass : {&Layer::forward, &Layer::input_gradient, &Layer::weight_gradient}) {
    const Counted all = count(graphed(dense, {}).*pass);
    const Counted without_attention = count(graphed(dense, {attn}).*pass);
    const Counted without_mlp = count(graphed(dense, {mlp}).*pass);
    EXPECT_EQ(all.outside, all.kernels);
    EXPECT_EQ(without_attention.outside + without_mlp.outside, all.kernels);
    EXPECT_GT(without_mlp.outside, 0);
    EXPECT_EQ(count(graphed(dense, {attn, mlp}).*pass).outside, 0);
  }
}

TEST(BlockGraphs, are_one_for_a_pass_of_a_layer) {
  for (const auto pass : {&Layer::forward, &Layer::input_gradient}) {
    EXPECT_EQ(count(graphed(dense, {attn}).*pass).graphs, 1);
    EXPECT_EQ(count(graphed(dense, {mlp}).*pass).graphs, 1);
    EXPECT_EQ(count(graphed(dense, {attn, mlp}).*pass).graphs, 1);
  }
  EXPECT_EQ(count(graphed(dense, {}).forward).graphs, 0);
}

// Norm, product, rotation or none, core, product, sum: the MLP's norm is its own.
TEST(BlockGraphs, of_attention_have_its_norm_and_its_residual) {
  const Layer layer = graphed(dense, {attn});
  const std::vector<Work>& kernels = layer.forward.front().kernels;
  EXPECT_EQ(kernels.front().kernel, Kernel::norm);
  EXPECT_EQ(kernels.front().captured, Captured::opens);
  int norms = 0;
  for (const Work& work : kernels)
    norms += work.kernel == Kernel::norm && work.captured != Captured::no;
  EXPECT_EQ(norms, 1);
}

TEST(BlockGraphs, have_the_collectives_of_their_modules) {
  const WorkloadOptions cut{.tensor = 2};
  EXPECT_EQ(count(graphed(dense, {}, cut).forward).collectives_outside, 2);
  EXPECT_EQ(count(graphed(dense, {attn}, cut).forward).collectives_outside, 1);
  EXPECT_EQ(count(graphed(dense, {attn, mlp}, cut).forward).collectives_outside, 0);
}

// More modules leave less outside; `moe` leaves nothing of experts.
TEST(BlockGraphs, of_experts_grow_by_module) {
  for (const int64_t expert : {1, 4}) {
    const WorkloadOptions options{.expert = expert, .rows = {.by_all_to_all = true}};
    for (const auto pass : {&Layer::forward, &Layer::input_gradient}) {
      const int none = count(graphed(mixture, {attn}, options).*pass).outside;
      const int router = count(graphed(mixture, {attn, moe_router}, options).*pass).outside;
      const int preprocess =
          count(graphed(mixture, {attn, moe_router, moe_preprocess}, options).*pass).outside;
      EXPECT_LT(router, none);
      EXPECT_LT(preprocess, router);
      EXPECT_GT(preprocess, 0);
      EXPECT_EQ(count(graphed(mixture, {attn, moe}, options).*pass).outside, 0);
      EXPECT_EQ(count(graphed(mixture, {attn, moe_router, moe_preprocess}, options).*pass).graphs,
                1);
    }
  }
}

// The exchanges with experts are outside of all but `moe`.
TEST(BlockGraphs, of_routers_leave_exchanges_out) {
  const WorkloadOptions options{.expert = 4, .rows = {.by_all_to_all = true}};
  const Counted routed =
      count(graphed(mixture, {attn, moe_router, moe_preprocess}, options).forward);
  EXPECT_EQ(routed.collectives_outside, 3);  // rows, their weights, results
  EXPECT_EQ(count(graphed(mixture, {attn, moe}, options).forward).collectives_outside, 0);
}

// DeepEP's kernels put rows in order themselves, outside.
TEST(BlockGraphs, of_what_goes_on_before_rows_are_sent_are_nccls) {
  const WorkloadOptions options{.expert = 4};
  const auto outside = [&](std::initializer_list<GraphedModule> modules) {
    return count(graphed(mixture, modules, options).forward).outside;
  };
  EXPECT_EQ(outside({moe_router}), outside({moe_router, moe_preprocess}));
}

// What follows the experts is one graph more, where Megatron-Core captures.
TEST(BlockGraphs, behind_experts_are_a_second_one) {
  WorkloadOptions options{.expert = 4, .rows = {.by_all_to_all = true}};
  const Counted one = count(graphed(mixture, {moe_router, moe_preprocess}, options).forward);
  options.graphs.behind_experts = true;
  const Counted two = count(graphed(mixture, {moe_router, moe_preprocess}, options).forward);
  EXPECT_EQ(two.graphs, one.graphs + 1);
  EXPECT_EQ(two.outside, one.outside - 1) << "the sum of the residual";
}

TEST(BlockGraphs, change_no_work) {
  const WorkloadOptions options{.expert = 4, .rows = {.by_all_to_all = true}};
  const Layer with = graphed(mixture, {attn, moe_router, moe_preprocess}, options);
  const Layer without = graphed(mixture, {}, options);
  EXPECT_EQ(flops(with.forward), flops(without.forward));
  EXPECT_EQ(count(with.forward).kernels, count(without.forward).kernels);
  EXPECT_EQ(with.stash, without.stash);
  EXPECT_EQ(with.parameters, without.parameters);
}

// Twice the mean in every expert's rows, where the mean came without.
TEST(BlockGraphs, of_experts_pad_rows_to_the_capacity) {
  WorkloadOptions options{.expert = 4};
  const auto rows = [&] {
    double most = 0;
    for (const CollectiveWork& work : collectives(graphed(mixture, {}, options).forward))
      if (work.kind == CollectiveKind::all_to_all)
        most = std::max(most, static_cast<double>(work.bytes.count));
    return most;
  };
  const double mean = rows();
  options.graphs.pads = true;
  EXPECT_DOUBLE_EQ(rows(), 2 * mean);
}

TEST(BlockGraphs, of_state_space_layers_have_a_module_of_their_own) {
  const char* hybrid =
      "{layers: 2, hidden: 64, heads: 4, vocabulary: 512, mixers: [state-space, full], "
      "feeds: [none, dense], state_space: {heads: 4, head_dim: 16, state: 16}}";
  EXPECT_EQ(count(graphed(hybrid, {mamba}).forward).outside, 0);
  EXPECT_EQ(count(graphed(hybrid, {attn}).forward).graphs, 0);
}

}  // namespace
}  // namespace pipewright::test::graphs
