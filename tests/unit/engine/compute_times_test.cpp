#include "engine/compute_times.hpp"

#include <gtest/gtest.h>

#include "support/price_rules.hpp"

namespace pipewright::test {
namespace {

/// Passes of one stage on one device, each of kernels that take as long as they say.
class Passes {
 public:
  explicit Passes(Traffic traffic = Traffic::tensor,
                  CollectiveKind kind = CollectiveKind::all_to_all, bool tells_host = false)
      : traffic_(traffic), kind_(kind), tells_host_(tells_host) {
    builder_.program.ranks = {{.device = 0}};
    builder_.program.groups = {{0, 1}};
  }

  /// Adds a pass that runs once: kernels of so many microseconds, with a collective between two.
  Passes& add(const std::vector<int64_t>& microseconds_each) {
    for (size_t k = 0; k < microseconds_each.size(); ++k) {
      if (k > 0) add_collective();
      Program& program = builder_.program;
      const auto work = static_cast<uint32_t>(program.works.size());
      program.works.push_back(
          {.kernel = Kernel::norm, .fixed = microseconds(microseconds_each[k])});
      add_op({.first = k == 0,
              .last = k + 1 == microseconds_each.size(),
              .works = {.first = work, .count = 1}},
             none);
    }
    return *this;
  }

  /// The times of compute ops in microseconds. A collective takes 50.
  std::vector<double> times(const HostTimes& host) {
    Prices prices = prices_by({.compute = [](const Work& work, int32_t) { return work.fixed; },
                               .transfer = {},
                               .collective = [](CollectiveKind, std::span<const int32_t>,
                                                Bytes) { return microseconds(50); }});
    prices.host = host;
    const Program program = std::move(builder_).finish();
    ComputeTimes computes(program, prices);
    std::vector<double> all;
    for (const Op& op : program.ops)
      if (program.types[op.type].kind == OpKind::compute)
        all.push_back(in_seconds(computes.of(op.type, 0)) * 1e6);
    return all;
  }

 private:
  void add_collective() {
    OpType type{.kind = OpKind::collective, .traffic = traffic_, .first = false};
    type.collective = kind_;
    type.tells_host = tells_host_;
    add_op(type, 0);
  }

  void add_op(OpType type, uint32_t group) {
    type.last = type.last && type.kind == OpKind::compute;
    builder_.program.types.push_back(type);
    builder_.add({.type = static_cast<uint32_t>(builder_.program.types.size() - 1),
                  .rank = 0,
                  .peer = group});
  }

  Traffic traffic_;
  CollectiveKind kind_;
  bool tells_host_;
  ProgramBuilder builder_;
};

using Micro = std::vector<double>;

// 10 + 50 + 10 on the device, 40 + 40 on the host: ten are missing, five for each of two kernels.
TEST(ComputeTimes, collectives_give_the_host_time) {
  EXPECT_EQ(Passes().add({10, 10}).times({.launch = microseconds(40)}), (Micro{15, 15}));
}

// The host starts the collective too: 40 + 20 + 40.
TEST(ComputeTimes, collectives_are_started_by_the_host) {
  EXPECT_EQ(
      Passes().add({10, 10}).times({.launch = microseconds(40), .collective = microseconds(20)}),
      (Micro{25, 25}));
}

TEST(ComputeTimes, a_long_kernel_hides_the_start_of_those_after_it) {
  EXPECT_EQ(Passes().add({100, 10}).times({.launch = microseconds(40)}), (Micro{100, 10}));
}

// The second pass leaves the host 60 of the 80 that the first lacks.
TEST(ComputeTimes, a_lead_is_kept_from_pass_to_pass) {
  EXPECT_EQ(Passes().add({20}).add({160}).times({.launch = microseconds(100)}), (Micro{40, 160}));
}

TEST(ComputeTimes, a_host_that_stops_between_passes_keeps_no_lead) {
  EXPECT_EQ(Passes().add({20}).add({160}).times({.launch = microseconds(100), .stops = true}),
            (Micro{100, 160}));
}

TEST(ComputeTimes, every_op_waits_for_itself_where_counts_of_tokens_are_gathered) {
  Passes passes(Traffic::expert, CollectiveKind::all_gather, true);
  EXPECT_EQ(passes.add({100, 10}).times({.launch = microseconds(40)}), (Micro{100, 40}));
}

// As they are where tokens above a capacity are dropped.
TEST(ComputeTimes, a_host_is_ahead_of_tokens_that_are_gathered_without_counts) {
  Passes passes(Traffic::expert, CollectiveKind::all_gather);
  EXPECT_EQ(passes.add({100, 10}).times({.launch = microseconds(40)}), (Micro{100, 10}));
}

// Tokens themselves come and go as a host that is ahead said before.
TEST(ComputeTimes, a_host_is_ahead_of_exchanges_whose_counts_it_knows) {
  Passes passes(Traffic::expert, CollectiveKind::all_to_all);
  EXPECT_EQ(passes.add({100, 10}).times({.launch = microseconds(40)}), (Micro{100, 10}));
}

// Devices 0 and 1 exchange for 100, devices 2 and 3 for 50. A slow link of the first two leaves the
// others as they are: 10 + 50 + 10 on the device, 40 + 40 on the host.
TEST(ComputeTimes, a_slow_link_gives_time_to_the_hosts_at_its_ends_alone) {
  ProgramBuilder builder;
  Program& made = builder.program;
  made.ranks = {{.device = 0}, {.device = 2}};
  made.groups = {{0, 1}, {2, 3}};
  made.works = {{.kernel = Kernel::norm, .fixed = microseconds(10)}};
  const OpType kernel{.first = false, .last = false, .works = {.first = 0, .count = 1}};
  made.types = {kernel, {.kind = OpKind::collective, .first = false, .last = false}, kernel};
  made.types.front().first = made.types.back().last = true;
  for (uint32_t rank : {0u, 1u})
    for (uint32_t type : {0u, 1u, 2u})
      builder.add({.type = type, .rank = rank, .peer = type == 1 ? rank : none});
  Prices prices =
      prices_by({.compute = [](const Work& work, int32_t) { return work.fixed; },
                 .transfer = {},
                 .collective = [](CollectiveKind, std::span<const int32_t> group,
                                  Bytes) { return microseconds(group[0] == 0 ? 100 : 50); }});
  prices.host = {.launch = microseconds(40)};
  const Program program = std::move(builder).finish();
  ComputeTimes computes(program, prices);
  EXPECT_EQ(computes.of(0, 0), microseconds(10));
  EXPECT_EQ(computes.of(0, 2), microseconds(15));
}

TEST(ComputeTimes, a_fast_host_costs_nothing) {
  EXPECT_EQ(Passes().add({20, 30}).add({40}).times({}), (Micro{20, 30, 40}));
}

}  // namespace
}  // namespace pipewright::test
