#include "schedule/versions.hpp"
#include "schedule/kinds/kinds.hpp"

#include <gtest/gtest.h>

namespace pipewright::schedule {
namespace {

Action reads(Action action, int version) {
  action.weight_version = version;
  return action;
}

/// One rank, one stage, a step after every micro-batch.
Schedule one_rank(Order order, int micro_batches) {
  Schedule s = make({.ranks = 1, .micro_batches = micro_batches}, 1);
  s.step_every = 1;
  s.synchronous = false;
  s.order = {std::move(order)};
  return s;
}

Versions of(Order order, int micro_batches) {
  return weight_versions(one_rank(std::move(order), micro_batches)).at(0);
}

TEST(WeightVersions, a_version_that_is_read_no_more_is_written_over) {
  const Versions v = of({reads(forward(0, 0), 0), reads(backward(0, 0), 0), reads(forward(0, 1), 1),
                         reads(backward(0, 1), 1)},
                        2);
  EXPECT_EQ(v.held, 1);
  EXPECT_EQ(v.staleness, 0);
}

TEST(WeightVersions, a_stashed_version_is_held_beside_the_newest) {
  // 0B0 makes version 1 while 0B1 is still to read version 0.
  const Versions v = of({reads(forward(0, 0), 0), reads(forward(0, 1), 0), reads(backward(0, 0), 0),
                         reads(backward(0, 1), 0)},
                        2);
  EXPECT_EQ(v.held, 2);
  EXPECT_EQ(v.staleness, 1) << "0B1's gradient of version 0 is applied to version 1";
}

TEST(WeightVersions, a_forward_on_old_weights_makes_its_gradient_stale_even_without_a_stash) {
  const Versions v = of({reads(forward(0, 0), 0), reads(forward(0, 1), 0), reads(backward(0, 0), 0),
                         reads(backward(0, 1), 1)},
                        2);
  EXPECT_EQ(v.held, 1);
  EXPECT_EQ(v.staleness, 1);
}

TEST(WeightVersions, a_split_backward_steps_after_its_weight_gradient) {
  // Version 1 is made by 0W0, after 0I1 has read version 0 for the last time.
  const Versions v = of({reads(forward(0, 0), 0), reads(forward(0, 1), 0),
                         reads(input_gradient(0, 0), 0), reads(input_gradient(0, 1), 0),
                         reads(weight_gradient(0, 0), 0), reads(weight_gradient(0, 1), 1)},
                        2);
  EXPECT_EQ(v.held, 1);
}

TEST(WeightVersions, each_rank_counts_for_itself) {
  const Schedule s = build({.ranks = 3, .micro_batches = 9}, config::scalar("pipedream"));
  const std::vector<Versions> v = weight_versions(s);
  EXPECT_EQ(v.at(0).held, 3);
  EXPECT_EQ(v.at(1).held, 2);
  EXPECT_EQ(v.at(2).held, 1);
}

}  // namespace
}  // namespace pipewright::schedule
