#include "engine/price.hpp"

#include <gtest/gtest.h>

#include "schedule/kinds/kinds.hpp"
#include "support/price_rules.hpp"
#include "support/run_schedule.hpp"

namespace pipewright::test {
namespace {

Prices prices() {
  return prices_by(
      {.compute = [](const Work& work, int32_t) { return work.fixed; },
       .transfer = [](int32_t from, int32_t to, Bytes) { return picoseconds(100 * from + to); },
       .collective = [](CollectiveKind, std::span<const int32_t> devices,
                        Bytes) { return picoseconds(static_cast<int64_t>(devices.size())); }});
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

// One operator starts the first of 160 products, a loop in it the other 159.
TEST(Price, a_host_starts_every_product_of_a_grouped_one) {
  ProgramBuilder builder;
  builder.program.ranks = {{.device = 0}};
  builder.program.works = {{.kernel = Kernel::gemm, .shape = {160, 1, 1, 1}, .in_turn = true}};
  builder.program.types = {{.kind = OpKind::compute, .works = {.first = 0, .count = 1}}};
  builder.add({.type = 0, .rank = 0});
  Prices slow_host = prices();
  slow_host.host.launch = microseconds(72);
  slow_host.host.repeat = microseconds(9);
  EXPECT_EQ(price(std::move(builder).finish(), slow_host).at(0), microseconds(72 + 159 * 9));
}

// Python works on the weight of each of 16 products beside that. Casts have no weights.
TEST(Price, a_host_works_on_every_weight_of_a_grouped_product) {
  ProgramBuilder builder;
  builder.program.ranks = {{.device = 0}};
  builder.program.works = {{.kernel = Kernel::gemm, .shape = {16, 1, 1, 1}, .in_turn = true},
                           {.kernel = Kernel::elementwise, .shape = {16}, .in_turn = true}};
  builder.program.types = {{.kind = OpKind::compute, .works = {.first = 0, .count = 2}}};
  builder.add({.type = 0, .rank = 0});
  Prices slow_host = prices();
  slow_host.host.launch = microseconds(72);
  slow_host.host.part = microseconds(8);
  EXPECT_EQ(price(std::move(builder).finish(), slow_host).at(0), microseconds(2 * 72 + 16 * 8));
}

TEST(Price, a_host_that_waits_for_every_kernel_hides_none_of_its_own_time) {
  ProgramBuilder builder;
  builder.program.ranks = {{.device = 0}};
  builder.program.works.assign(3, {.kernel = Kernel::norm, .fixed = microseconds(100)});
  builder.program.types = {{.kind = OpKind::compute, .works = {.first = 0, .count = 3}}};
  builder.add({.type = 0, .rank = 0});
  const Program program = std::move(builder).finish();
  Prices host = prices();
  host.host.launch = microseconds(72);
  EXPECT_EQ(price(program, host).at(0), microseconds(3 * 100));
  host.host.waits = true;
  EXPECT_EQ(price(program, host).at(0), microseconds(3 * (100 + 72)));
}

TEST(Price, a_host_that_waits_begins_collectives_too) {
  ProgramBuilder builder;
  builder.program.ranks = {{.device = 0}, {.device = 1}};
  builder.program.groups = {{0, 1}};
  builder.program.types = {{.kind = OpKind::collective}};
  builder.add({.type = 0, .rank = 0, .peer = 0});
  const Program program = std::move(builder).finish();
  Prices host = prices();
  host.host.launch = microseconds(72);
  EXPECT_EQ(price(program, host).at(0), picoseconds(2));
  host.host.waits = true;
  EXPECT_EQ(price(program, host).at(0), microseconds(72) + picoseconds(2));
}

}  // namespace
}  // namespace pipewright::test
