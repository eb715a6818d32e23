#include "run/if_free.hpp"

#include <gtest/gtest.h>

#include "support/experiments.hpp"

namespace pipewright::test {
namespace {

IfFree gain_of(const config::Value& document) {
  return *run_experiment(document, config::Catalogue{}, {.if_free = true})
              .result.metrics.detail.if_free;
}

// A micro-batch crosses 2 (p - 1) = 6 hops of 1 ms; what follows it is in flight beside compute.
TEST(IfFree, free_messages_gain_what_they_cost) {
  config::Value document = four_ranks("gpipe");
  config::set_path(document, "cluster.link.latency=1 ms");
  const IfFree gain = gain_of(document);
  EXPECT_EQ(gain.traffic[static_cast<size_t>(Traffic::pipeline)], milliseconds(6));
  EXPECT_EQ(gain.traffic[static_cast<size_t>(Traffic::tensor)], Time{});
}

// What the host computes between its copies is a part of what offloading costs.
TEST(IfFree, free_offloading_has_no_step_on_the_host) {
  const Metrics metrics =
      run_experiment(small_gpt("parallel: {data: 16}\nschedule: 1f1b\noffload: optimizer\n"),
                     config::Catalogue{}, {.if_free = true})
          .result.metrics;
  const IfFree gain = metrics.detail.if_free.value();
  const Time exposed = metrics.breakdown.exposed[static_cast<size_t>(Traffic::host)];
  EXPECT_GT(exposed, Time{});
  EXPECT_GE(in_seconds(gain.traffic[static_cast<size_t>(Traffic::host)]),
            0.99 * in_seconds(exposed));
}

// GPipe's ranks each wait 3 x 3 ms for the others.
TEST(IfFree, without_bubble_the_rank_with_most_to_do_sets_the_time) {
  EXPECT_EQ(gain_of(four_ranks("gpipe")).bubble, milliseconds(9));
}

}  // namespace
}  // namespace pipewright::test
