#include "engine/price.hpp"

#include <gtest/gtest.h>

#include "support/run_schedule.hpp"

namespace pipewright::test {
namespace {

Prices prices() {
  Prices prices;
  prices.compute = [](const Work& work, int32_t) { return work.fixed; };
  prices.transfer = [](int32_t from, int32_t to, Bytes) { return picoseconds(100 * from + to); };
  prices.collective = [](CollectiveKind, std::span<const int32_t> devices, Bytes) {
    return picoseconds(static_cast<int64_t>(devices.size()));
  };
  return prices;
}

TEST(Price, transfers_are_priced_by_their_devices_and_slow_devices_take_longer) {
  const Schedule schedule =
      schedule::build({.ranks = 2, .micro_batches = 1}, config::scalar("gpipe"));
  Times times;
  times.forward = times.backward = picoseconds(10);
  const Program program =
      lower({.schedule = schedule, .stages = stages_of(schedule, times), .grid = grid_of(2)});
  Prices slow = prices();
  slow.slowdown = {1, 1.5};
  const std::vector<Time> durations = price(program, slow);
  for (OpId op = 0; op < program.ops.size(); ++op) {
    const Op& o = program.ops[op];
    if (program.type(op).kind == OpKind::transfer)
      EXPECT_EQ(durations[op].ps, o.rank == 0 ? 1 : 100);
    else
      EXPECT_EQ(durations[op].ps, o.rank == 0 ? 10 : 15);
  }
}

}  // namespace
}  // namespace pipewright::test
