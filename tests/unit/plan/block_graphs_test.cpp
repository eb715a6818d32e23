// CUDA graphs of modules: what they spare hosts, and what they do not go with.
#include "plan/block_graphs.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/error_of.hpp"
#include "support/experiments.hpp"

namespace pipewright::test {
namespace {

/// Eight small layers, whose kernels are shorter than a host takes to start them.
config::Value small_layers(const std::string& launches, const std::string& rest = "",
                           const std::string& more = "") {
  return experiment(
      fmt::format("model: {{transformer: {{layers: 8, hidden: 512, heads: 8, ffn: 2048, "
                  "vocabulary: 8192{}}}}}\n"
                  "cluster: {{node: dgx-h100, nodes: 1}}\n"
                  "batch: {{global: 64, micro: 1, sequence: 512}}\nschedule: 1f1b\n"
                  "launches: {}\n{}",
                  more, launches, rest));
}

const std::string some_experts =
    ", gated: true, bias: false, experts: {count: 8, active: 2, shared: 1, ffn: 512}";
const std::string padded_experts =
    ", gated: true, bias: false, experts: {count: 8, active: 2, shared: 1, ffn: 512, capacity: 1}";

struct Hosted {
  double host_s, iteration_s;
};

Hosted hosted(const config::Value& experiment) {
  const RunResult result = run(experiment).result;
  return {in_seconds(result.metrics.breakdown.host), in_seconds(result.metrics.iteration)};
}

/// Each in turn leaves the host no more to do than the one before it.
void expect_less_and_less(std::initializer_list<const char*> launches, const std::string& rest,
                          const std::string& more) {
  Hosted before{1e9, 1e9};
  for (const char* each : launches) {
    SCOPED_TRACE(each);
    const Hosted now = hosted(small_layers(each, rest, more));
    EXPECT_LT(now.host_s, before.host_s);
    EXPECT_LT(now.iteration_s, before.iteration_s);
    before = now;
  }
  EXPECT_EQ(hosted(small_layers("graph", rest, more)).host_s, 0);
}

TEST(BlockGraphs, of_more_modules_leave_hosts_less_to_do) {
  for (const std::string rest : {"parallel: {data: 8}\n", "parallel: {tensor: 2, data: 4}\n",
                                 "parallel: {pipeline: 4, data: 2}\n"})
    expect_less_and_less(
        {"ahead", "{graphs: [attn]}", "{graphs: [attn, mlp]}", "{graphs: [iteration]}"}, rest, "");
}

TEST(BlockGraphs, of_experts_too) {
  const std::string rest = "parallel: {data: 8, expert: 8}\ndispatch: each-copy\n";
  expect_less_and_less({"ahead", "{graphs: [attn]}", "{graphs: [attn, moe_router]}",
                        "{graphs: [attn, moe_router, moe_preprocess]}"},
                       rest, some_experts);
  expect_less_and_less({"ahead", "{graphs: [attn]}", "{graphs: [layer]}"}, rest, padded_experts);
}

TEST(BlockGraphs, layer_is_every_module) {
  EXPECT_EQ(hosted(small_layers("{graphs: [layer]}")).iteration_s,
            hosted(small_layers("{graphs: [attn, mlp]}")).iteration_s);
}

// Where the host is far ahead it does not matter how it starts kernels.
TEST(BlockGraphs, change_nothing_that_no_host_delays) {
  const auto large = [](const std::string& launches) {
    return run(experiment("model: {base: llama-3-8b, layers: 4}\n"
                          "cluster: {node: dgx-h100, nodes: 1}\nparallel: {data: 8}\n"
                          "batch: {global: 8, micro: 1, sequence: 8192}\nschedule: 1f1b\n"
                          "launches: " +
                          launches + "\n"))
        .result.metrics;
  };
  const Metrics without = large("ahead"), with = large("{graphs: [attn, mlp]}");
  EXPECT_EQ(without.iteration, with.iteration);
  EXPECT_EQ(without.ranks[0].memory.total(), with.ranks[0].memory.total());
}

TEST(BlockGraphs, are_refused_beside_what_they_do_not_go_with) {
  const auto error = [](const std::string& launches, const std::string& rest,
                        const std::string& more = "") {
    return error_of([&] { run(small_layers(launches, rest, more)); });
  };
  const auto expect = [](const std::string& text, const char* reason) {
    EXPECT_NE(text.find(reason), std::string::npos) << text;
  };
  expect(error("{graphs: [attn]}", "recompute: full\n"), "run again in full");
  EXPECT_EQ(error("{graphs: [iteration]}", "recompute: full\n"), "no error");
  expect(error("{graphs: [attn]}", "framework: torchtitan\n"), "framework must be megatron");
  expect(error("{graphs: [attn]}", "offload: activations\n"), "are offloaded");
  expect(error("{graphs: [moe]}", "", some_experts), "capacity");
  expect(error("{graphs: [moe]}", ""), "the model has no moe");
  expect(error("{graphs: [mlp]}", "", some_experts), "the model has no mlp");
  expect(error("{graphs: [mamba]}", ""), "the model has no mamba");
  expect(error("{graphs: [moe_router]}", "recompute: {modules: [moe]}\n", some_experts),
         "leave out moe_router");
}

}  // namespace
}  // namespace pipewright::test
