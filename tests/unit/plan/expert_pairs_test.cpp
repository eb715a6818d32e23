// Exchanges with experts that hide behind another micro-batch's compute.
#include "plan/expert_pairs.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/error_of.hpp"
#include "support/experiments.hpp"

namespace pipewright::test {
namespace {

/// A mixture of eight layers on `devices` devices that exchange tokens over slow links.
config::Value mixture(const std::string& schedule, int pipeline, const std::string& rest) {
  return experiment(fmt::format(
      "model: {{transformer: {{layers: 8, hidden: 1024, heads: 16, ffn: 4096, vocabulary: 32768, "
      "experts: {{count: 4, active: 2, ffn: 4096}}}}}}\n"
      "cluster: {{devices: {}, device: {{kind: cpu, flops: {{bf16: 100 TFLOP/s}}, memory: 80 GiB, "
      "memory_bandwidth: 1e4 GB/s}}, link: {{latency: 1 us, bandwidth: 20 GB/s}}}}\n"
      "parallel: {{pipeline: {}, data: 2, expert: 2}}\n"
      "batch: {{global: 32, micro: 1, sequence: 1024}}\n"
      "schedule: {}\n{}",
      2 * pipeline, pipeline, schedule, rest));
}

struct Figures {
  double iteration, exposed, bytes;
  std::string overlap;
};

Figures figures(const config::Value& experiment) {
  const RunResult result = run(experiment).result;
  const auto& expert = result.metrics.communication[static_cast<size_t>(Traffic::expert)];
  return {in_seconds(result.metrics.iteration),
          in_seconds(result.metrics.breakdown.exposed[static_cast<size_t>(Traffic::expert)]),
          expert.bytes, result.experiment.value().find("overlap")->find("expert")->text};
}

const char* none = "overlap: {expert: none}\n";
const char* pairs = "overlap: {expert: pairs}\n";

TEST(ExpertPairs, the_same_tokens_are_sent_in_less_time) {
  for (const auto& [schedule, pipeline] :
       {std::pair{"1f1b", 1}, {"1f1b", 4}, {"zb-h1", 2}, {"dualpipe", 4}, {"dualpipe-v", 4}}) {
    const Figures without = figures(mixture(schedule, pipeline, none));
    const Figures with = figures(mixture(schedule, pipeline, pairs));
    EXPECT_EQ(with.bytes, without.bytes) << schedule;
    EXPECT_LT(with.iteration, without.iteration) << schedule;
    EXPECT_LT(with.exposed, 0.7 * without.exposed) << schedule;
  }
}

TEST(ExpertPairs, a_schedule_with_pairs_uses_them) {
  EXPECT_EQ(figures(mixture("dualpipe", 4, "")).overlap, "pairs");
  EXPECT_EQ(figures(mixture("1f1b", 4, "")).overlap, "none");
}

TEST(ExpertPairs, more_is_held) {
  const auto in_flight = [](const config::Value& e) {
    return run(e).result.metrics.ranks.front().peak_in_flight;
  };
  EXPECT_EQ(in_flight(mixture("1f1b", 4, none)), 4);
  EXPECT_EQ(in_flight(mixture("1f1b", 4, pairs)), 8);
}

TEST(ExpertPairs, what_has_nothing_to_hide_is_refused) {
  EXPECT_NE(error_of([] {
              run(small_gpt("overlap: {expert: pairs}\nschedule: 1f1b\n"));
            }).find("parallel.expert is 1"),
            std::string::npos);
  EXPECT_NE(error_of([] { run(mixture("gpipe", 2, pairs)); }).find("in turn"), std::string::npos);
}

}  // namespace
}  // namespace pipewright::test
