#include "run/drawing.hpp"

#include <gtest/gtest.h>

#include "experiment/experiment.hpp"
#include "run/prepare.hpp"
#include "support/experiments.hpp"

namespace pipewright::test {
namespace {

Drawn drawing(const config::Value& document) {
  const config::Catalogue catalogue;
  return drawing_of(prepare(read_experiment(resolve(document, catalogue)), catalogue, {}),
                    run(document));
}

// A run of given times has stages and no layers, and a cluster all the same.
TEST(Drawing, a_synthetic_run_has_passes_and_devices) {
  const Drawn drawn = drawing(four_ranks("1f1b"));
  EXPECT_TRUE(drawn.kernels.layers.empty());
  EXPECT_EQ(drawn.cluster.nodes.size(), 4u);
}

double busiest(const Drawn& drawn) {
  double most = 0;
  for (const FabricSwitch& one : drawn.cluster.switches) most = std::max(most, one.bytes);
  return most;
}

// Sharing a link changes when bytes move, and not how many do.
TEST(Drawing, shared_links_carry_the_same_bytes) {
  const std::string job = "parallel: {pipeline: 4, data: 4}\nschedule: 1f1b\n";
  EXPECT_NEAR(busiest(drawing(small_gpt(job + "network: flow\n"))),
              busiest(drawing(small_gpt(job))), 1.0);
}

}  // namespace
}  // namespace pipewright::test
