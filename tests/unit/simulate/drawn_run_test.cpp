#include "simulate/drawn_run.hpp"

#include <gtest/gtest.h>

#include "support/experiments.hpp"

namespace pipewright::test {
namespace {

Drawn drawn(const config::Value& document) {
  return drawn_run(run(document), config::Catalogue{}, {});
}

TEST(DrawnRun, the_same_run_is_drawn_the_same_twice) {
  const auto made = run(small_gpt("parallel: {pipeline: 4, data: 4}\nschedule: 1f1b\n"));
  const Drawn once = drawn_run(made, config::Catalogue{}, {});
  const Drawn again = drawn_run(made, config::Catalogue{}, {});
  EXPECT_EQ(once.cluster.rails, again.cluster.rails);
  EXPECT_EQ(once.kernels.names, again.kernels.names);
  EXPECT_EQ(once.kernels.of_type.size(), made.program.types.size());
}

TEST(DrawnRun, flows_alone_have_nothing_to_draw) {
  const Drawn none = drawn(experiment(
      "traffic: {exchange: ring, model: {layers: [{forward: 1 ms, backward: 1 ms, "
      "parameters: 1M}]}}\ncluster: {devices: 4, device: {flops: {bf16: 1 TFLOP/s}}, link: "
      "{latency: 1 us, bandwidth: 1 GB/s}}\n"));
  EXPECT_TRUE(none.cluster.nodes.empty());
  EXPECT_TRUE(none.kernels.of_type.empty());
}

}  // namespace
}  // namespace pipewright::test
