// Stages with meshes of their own.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "support/experiments.hpp"
#include "support/one_of.hpp"

namespace pipewright::test {
namespace {

/// A small GPT of 8 blocks on a slow network, without its plan.
std::string some_run(std::mt19937_64& random) {
  return fmt::format(
      "model: {{transformer: {{layers: 8, hidden: 512, heads: 8, ffn: 2048, vocabulary: 1024,\n"
      "  tied_embeddings: {}}}}}\n"
      "cluster: {{node: p3.8xlarge, nodes: 8, fabric: {{kind: star, link: eth-10}}}}\nprecision: "
      "fp16\n"
      "batch: {{global: 32, micro: {}, sequence: {}}}\n"
      "schedule: {}\n"
      "network: {}\n"
      "recompute: {}\n"
      "overlap: {{p2p: {}, data: {}}}\n",
      one_of(random, {"true", "false"}), one_of(random, {1, 2}), one_of(random, {128, 512}),
      one_of<const char*>(random, {"1f1b", "gpipe", "zb-h1", "eager-1f1b"}),
      one_of<const char*>(random, {"flow", "alpha-beta"}),
      one_of<const char*>(random, {"none", "full"}),
      one_of<const char*>(random, {"async", "sender", "rendezvous"}),
      one_of(random, {"true", "false"}));
}

Time iteration(const std::string& text, bool fold = true) {
  return run(experiment(text), fold).result.metrics.iteration;
}

TEST(UnlikeStages, a_strategy_of_alike_stages_is_what_parallel_says) {
  for (uint64_t round = 0; round < 40; ++round) {
    std::mt19937_64 random(round);
    const int tensor = one_of(random, {1, 2, 4}), pipeline = one_of(random, {2, 4});
    const int data = one_of(random, {1, 2}), each = tensor * data, layers = 8 / pipeline;
    const std::string others = fmt::format("zero: {}, sequence: {}", one_of(random, {0, 1}),
                                           one_of(random, {"true", "false"}));
    const std::string text = some_run(random);
    std::string strategy = "parallel: {" + others + "}\nstrategy:\n";
    for (int k = 0; k < pipeline; ++k)
      strategy +=
          fmt::format("  - {{layers: {}-{}, devices: {}-{}, tensor: {}, data: {}}}\n", k * layers,
                      (k + 1) * layers - 1, k * each, (k + 1) * each - 1, tensor, data);
    SCOPED_TRACE(text + strategy);
    EXPECT_EQ(iteration(text + strategy),
              iteration(text + fmt::format("parallel: {{tensor: {}, pipeline: {}, data: {}, {}}}\n",
                                           tensor, pipeline, data, others)));
  }
}

/// Stages on one or two hosts each, cut as they come.
std::string some_strategy(std::mt19937_64& random) {
  std::string text = fmt::format("resharding: {}\nstrategy:\n",
                                 one_of<const char*>(random, {"send-recv", "local-all-gather",
                                                              "global-all-gather", "broadcast"}));
  for (int stage = 0, device = 0, layer = 0; stage < 3; ++stage) {
    const int devices = one_of(random, {1, 2, 4}),
              tensor = std::min(devices, one_of(random, {1, 2, 4}));
    const int last = stage == 2 ? 7 : layer + static_cast<int>(random() % 3);
    device = (device + devices - 1) / devices * devices;
    text += fmt::format("  - {{layers: {}-{}, devices: {}-{}, tensor: {}}}\n", layer, last, device,
                        device + devices - 1, tensor);
    device += devices;
    layer = last + 1;
  }
  return text;
}

TEST(UnlikeStages, ranks_simulated_once_are_as_all_of_them) {
  for (uint64_t round = 0; round < 40; ++round) {
    std::mt19937_64 random(1000 + round);
    const std::string text = some_run(random) + some_strategy(random);
    SCOPED_TRACE(text);
    const double folded = in_seconds(iteration(text)), all = in_seconds(iteration(text, false));
    EXPECT_NEAR(folded / all, 1, 1e-6);
  }
}

// What shares no link is never later.
TEST(UnlikeStages, sharing_links_saves_no_time) {
  for (uint64_t round = 0; round < 20; ++round) {
    std::mt19937_64 random(2000 + round);
    const std::string text = some_run(random) + some_strategy(random);
    SCOPED_TRACE(text);
    config::Value flow = experiment(text), alone = experiment(text);
    flow.set("network", config::scalar("flow"));
    alone.set("network", config::scalar("alpha-beta"));
    const auto length = [](const config::Value& e) {
      return in_seconds(run(e).result.metrics.makespan);
    };
    EXPECT_GE(length(flow) / length(alone), 1 - 1e-6);
  }
}

}  // namespace
}  // namespace pipewright::test
