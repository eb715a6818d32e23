#include "plan/update_time.hpp"

#include <gtest/gtest.h>

#include "estimate/closed_form.hpp"
#include "support/price_rules.hpp"

namespace pipewright::test {
namespace {

constexpr Time second = picoseconds(1'000'000'000'000);

/// A collective over n devices takes n milliseconds a byte, any kernel a second.
Prices prices() {
  return prices_by({.compute = [](const Work&, int32_t) { return second; },
                    .collective =
                        [](CollectiveKind, std::span<const int32_t> devices, Bytes bytes) {
                          return picoseconds(static_cast<int64_t>(devices.size()) * bytes.count *
                                             1'000'000'000);
                        }});
}

Mesh mesh(int tensor, int data) {
  return {.tensor = tensor, .data = data, .tensor_grid = {}, .devices = {}};
}

UpdateWork reductions(int buckets, int64_t bytes) {
  UpdateWork update;
  for (int k = 0; k < buckets; ++k)
    update.reduce.push_back({CollectiveKind::all_reduce, Axis::data, {bytes}});
  return update;
}

// Four buckets fill at 1, 2, 3 and 4 s of a last pass. Over ten devices each reduction of 100 B
// takes 1 s: only the last, 4 s to 5 s, is seen. Of 200 B each takes 2 s: from 1 s on without a
// pause until 9 s, 5 s after the pass.
TEST(UpdateTime, a_reduction_hides_behind_the_rest_of_the_last_pass) {
  const Holders ten = holders(mesh(1, 10), 0);
  EXPECT_EQ(exposed_reductions(reductions(4, 100), prices(), ten, 4 * second), 1 * second);
  EXPECT_EQ(exposed_reductions(reductions(4, 200), prices(), ten, 4 * second), 5 * second);
}

// All in one bucket, nothing hides; on one device nothing is reduced.
TEST(UpdateTime, without_buckets_all_of_it_is_seen) {
  EXPECT_EQ(exposed_reductions(reductions(1, 400), prices(), holders(mesh(1, 10), 0), 4 * second),
            4 * second);
  EXPECT_EQ(exposed_reductions(reductions(1, 400), prices(), holders(mesh(8, 1), 0), 4 * second),
            Time{});
}

// Over ten devices 100 B take 1 s. Beside passes of 4 s the first layer's last second is seen, each
// time; beside passes of 1 s both others, too.
TEST(UpdateTime, scattered_gradients_hide_behind_passes_but_for_the_last) {
  const Holders ten = holders(mesh(1, 10), 0);
  const std::vector<Bytes> none(3), gradients(3, Bytes{100});
  const ShardedWeights::Stage stage{none, gradients, none, none};
  EXPECT_EQ(exposed_scatters(stage, prices(), ten, 4 * second, 5), 5 * second);
  EXPECT_EQ(exposed_scatters(stage, prices(), ten, 1 * second, 5), 10 * second);
}

// Three parts of 100 B each take 1 s to gather over ten devices, and as long to reduce. Beside a
// forward pass of 2 s one of three seconds is seen; beside a backward pass of 4 s, for which they
// are gathered again, two of six, beside one of 10 s the last reduction. Who does not give weights
// up gathers them once.
TEST(UpdateTime, sharded_weights_hide_behind_the_passes_that_need_them) {
  const Holders ten = holders(mesh(1, 10), 0);
  const std::vector<Bytes> none(3), parts(3, Bytes{100});
  const ShardedWeights::Stage stage{parts, parts, none, none};
  const auto exposed = [&](bool reshard, Time forward, Time backward) {
    return exposed_sharding(stage, reshard, prices(), ten, {forward, backward, 5});
  };
  EXPECT_EQ(exposed(true, 2 * second, 4 * second), 5 * (1 + 2) * second);
  EXPECT_EQ(exposed(true, 3 * second, 10 * second), 5 * second);
  EXPECT_EQ(exposed(false, 2 * second, 4 * second), 5 * (1 + 1) * second);
}

// Two kernels of the optimizer, then 100 B of weights gathered over ten devices: 2 s + 1 s.
TEST(UpdateTime, a_step_is_kernels_and_the_gathering_of_weights) {
  UpdateWork update;
  update.kernels.resize(2);
  update.gather.push_back({CollectiveKind::all_gather, Axis::data, {100}});
  EXPECT_EQ(step_time(update, prices(), holders(mesh(2, 10), 40)), 3 * second);
}

// Tensor ranks lie side by side: replicas of the first stand as many apart as there are of them.
TEST(UpdateTime, the_same_weights_are_on_every_replica) {
  EXPECT_EQ(holders(mesh(4, 3), 24).weights, (std::vector<int32_t>{24, 28, 32}));
  EXPECT_TRUE(holders(mesh(4, 3), 24).experts.empty());
  Mesh experts = mesh(2, 4);
  experts.expert = 4;
  EXPECT_EQ(holders(experts, 0).experts, (std::vector<int32_t>{0, 4}));
}

// Four stages a second each, 0.1 s apart: 0.6 s there and back. 1F1B's rank 0 is four micro-batches
// ahead, which take as long as the trip without hops, so of eight the hops show twice; GPipe's are
// all ahead of the first that returns: once. Interleaved, two stages a rank: eleven ahead of a trip
// over eight stages hide the hops but of the first.
TEST(ExposedHops, are_those_that_what_is_ahead_does_not_hide) {
  const Time hop = picoseconds(second.ps / 10);
  EXPECT_EQ(exposed_hops(4, 8, 4, second, hop), 12 * hop);
  EXPECT_EQ(exposed_hops(4, 8, 8, second, hop), 6 * hop);
  EXPECT_EQ(exposed_hops(8, 16, 11, second, hop), 14 * hop);
}

}  // namespace
}  // namespace pipewright::test
