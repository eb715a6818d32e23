// Programs whose messages and collectives share links: what must hold of any.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>

#include "clusters.hpp"
#include "message_program.hpp"
#include "network/flow_traffic.hpp"
#include "support/last_end.hpp"
#include "support/random.hpp"
#include "support/stepped_traffic.hpp"

namespace pipewright::test {
namespace {

/// An op as it was drawn, so that it can be drawn out larger or on other devices.
struct Drawn {
  enum { compute, message, collective } kind = compute;
  std::vector<int32_t> devices;
  int64_t size = 0;  ///< microseconds or bytes
  CollectiveKind collective_kind = CollectiveKind::all_reduce;
  std::vector<OpId> after;
};

std::vector<int32_t> some_devices(Random& random, uint32_t of, uint32_t count) {
  std::vector<int32_t> devices(of);
  std::iota(devices.begin(), devices.end(), 0);
  std::shuffle(devices.begin(), devices.end(), random.bits);
  devices.resize(count);
  return devices;
}

Drawn draw_op(Random& random, uint32_t devices) {
  Drawn op;
  if (random.one_in(3)) {
    op.devices = {static_cast<int32_t>(random.below(devices))};
    op.size = random.below(2000);
  } else if (random.one_in(4)) {
    op.kind = Drawn::collective;
    op.devices = some_devices(random, devices, 2 + random.below(devices - 1));
    op.size = random.below(100'000'000);
    op.collective_kind = static_cast<CollectiveKind>(random.below(6));
  } else {
    op.kind = Drawn::message;
    op.devices = some_devices(random, devices, 2);
    op.size = random.below(100'000'000);
  }
  return op;
}

std::vector<Drawn> draw_program(Random& random, uint32_t devices) {
  std::vector<Drawn> ops(1 + random.below(60));
  for (OpId op = 0; op < ops.size(); ++op) {
    ops[op] = draw_op(random, devices);
    while (op > 0 && !random.one_in(2)) ops[op].after.push_back(random.below(op));
  }
  return ops;
}

/// Behind as many that share nothing: where a link has too much to carry, half has ended.
std::vector<Drawn> behind_others(std::vector<Drawn> ops) {
  const auto count = static_cast<OpId>(ops.size());
  std::vector<Drawn> all(count);
  for (OpId op = 0; op < count; ++op) {
    all[op] = {.kind = Drawn::compute, .devices = {0}, .size = 1};
    if (op > 0) all[op].after = {op - 1};
  }
  for (Drawn& op : ops) {
    for (OpId& before : op.after) before += count;
    op.after.push_back(count - 1);
    all.push_back(std::move(op));
  }
  return all;
}

MessageProgram::Result run(const Topology& topology, const std::vector<Drawn>& ops,
                           int64_t times = 1, const std::vector<int32_t>& other_name = {}) {
  MessageProgram program(topology);
  for (const Drawn& drawn : ops) {
    std::vector<int32_t> devices = drawn.devices;
    for (int32_t& device : devices)
      if (!other_name.empty()) device = other_name[device];
    OpId op = 0;
    if (drawn.kind == Drawn::compute)
      op = program.compute(devices[0], times * microseconds(drawn.size));
    if (drawn.kind == Drawn::message)
      op = program.message(devices[0], devices[1], {times * drawn.size});
    if (drawn.kind == Drawn::collective)
      op = program.collective(drawn.collective_kind, devices, {times * drawn.size});
    for (const OpId before : drawn.after) program.depend(before, op);
  }
  return std::move(program).run();
}

Topology some_cluster(Random& random) {
  switch (random.below(3)) {
    case 0:
      return cluster_of("{node: p3.8xlarge, nodes: 3, fabric: {kind: star, link: eth-10}}")
          .topology;
    case 1:
      return cluster_of(
                 "{node: dgx-a100-80g, nodes: 2, fabric: {kind: fat-tree, link: hdr, "
                 "nics: 4}}")
          .topology;
    default:
      return cluster_of(fmt::format("{{devices: {}, link: {{latency: {} us, bandwidth: {} MB/s, "
                                    "sharing: {}}}}}",
                                    3 + random.below(8), random.below(100),
                                    1000 + random.below(9000),
                                    random.one_in(3) ? "shared" : "each-direction"))
          .topology;
  }
}

TEST(Contention, nothing_is_faster_for_sharing_and_all_is_as_before_where_nothing_meets) {
  int met = 0, free = 0;
  for (uint64_t round = 0; round < 500; ++round) {
    SCOPED_TRACE(round);
    Random random{std::mt19937_64(round)};
    const Topology topology = some_cluster(random);
    const std::vector<Drawn> ops = draw_program(random, static_cast<uint32_t>(topology.devices()));
    const MessageProgram::Result result = run(topology, ops);
    result.free ? ++free : ++met;
    for (OpId op = 0; op < ops.size(); ++op) {
      if (result.free) {
        ASSERT_NEAR(result.shared.spans[op].end.ps, result.alone.spans[op].end.ps, ops.size());
      }
      ASSERT_GE(result.shared.spans[op].end.ps + static_cast<int64_t>(ops.size()),
                result.alone.spans[op].end.ps);
    }
    ASSERT_GE(last_end(result.shared), result.cut);
  }
  EXPECT_GT(met, 100);
  EXPECT_GT(free, 25);
}

// What came before the first link had too much to carry need not be run again.
TEST(Contention, goes_on_from_its_beginning_as_from_the_beginning_of_the_run) {
  int midway = 0;
  for (uint64_t round = 0; round < 1000; ++round) {
    SCOPED_TRACE(round);
    Random random{std::mt19937_64(round)};
    const Topology topology = some_cluster(random);
    std::vector<Drawn> ops = draw_program(random, static_cast<uint32_t>(topology.devices()));
    if (round % 2 == 1) ops = behind_others(std::move(ops));
    const MessageProgram::Result result = run(topology, ops);
    midway += result.resumed_midway;
    for (OpId op = 0; op < ops.size(); ++op) {
      const Span &whole = result.shared.spans[op], &resumed = result.resumed.spans[op];
      ASSERT_NEAR(whole.ready.ps, resumed.ready.ps, ops.size());
      ASSERT_NEAR(whole.start.ps, resumed.start.ps, ops.size());
      ASSERT_NEAR(whole.end.ps, resumed.end.ps, ops.size());
    }
  }
  EXPECT_GT(midway, 100);
}

TEST(Contention, devices_of_a_switch_may_change_their_names) {
  for (uint64_t round = 0; round < 200; ++round) {
    SCOPED_TRACE(round);
    Random random{std::mt19937_64(round)};
    const Topology topology =
        cluster_of("{devices: 6, link: {latency: 3 us, bandwidth: 7 GB/s}}").topology;
    std::vector<Drawn> ops = draw_program(random, 6);
    const auto first = run(topology, ops);
    const auto second = run(topology, ops, 1, some_devices(random, 6, 6));
    // A broadcast is a chain in the order of its devices: it may cross other ports.
    const bool chain = std::any_of(ops.begin(), ops.end(), [](const Drawn& op) {
      return op.kind == Drawn::collective && (op.collective_kind == CollectiveKind::broadcast ||
                                              op.collective_kind == CollectiveKind::reduce);
    });
    if (chain) continue;
    for (OpId op = 0; op < ops.size(); ++op)
      ASSERT_NEAR(first.end(op).ps, second.end(op).ps, ops.size()) << op;
  }
}

TEST(Contention, all_lengths_and_bytes_k_fold_take_k_times_as_long) {
  constexpr int64_t k = 7;
  for (uint64_t round = 0; round < 200; ++round) {
    SCOPED_TRACE(round);
    Random random{std::mt19937_64(round)};
    const auto topology = [](int64_t latency) {
      return cluster_of(fmt::format("{{devices: 6, link: {{latency: {} us, bandwidth: 2 GB/s}}}}",
                                    latency))
          .topology;
    };
    const std::vector<Drawn> ops = draw_program(random, 6);
    const auto once = run(topology(11), ops), more = run(topology(k * 11), ops, k);
    for (OpId op = 0; op < ops.size(); ++op)
      ASSERT_NEAR(more.end(op).ps, k * once.end(op).ps, k * ops.size()) << op;
  }
}

TEST(Contention, messages_after_compute_end_when_the_stepped_textbook_says) {
  for (uint64_t round = 0; round < 300; ++round) {
    SCOPED_TRACE(round);
    Random random{std::mt19937_64(round)};
    const Topology topology = some_cluster(random);
    const auto devices = static_cast<uint32_t>(topology.devices());
    std::vector<Drawn> ops;
    std::vector<TimedFlow> flows;
    std::set<std::vector<int32_t>> pairs;  // one message of each: those of one wait for each other
    for (uint32_t k = 0, count = 1 + random.below(30); k < count; ++k) {
      Drawn message{Drawn::message, some_devices(random, devices, 2), 1 + random.below(99'999'999)};
      if (!pairs.insert(message.devices).second) continue;
      Drawn before{Drawn::compute, {message.devices[0]}, random.below(20'000)};
      const Route route = topology.route(message.devices[0], message.devices[1]);
      flows.push_back({{shared_links(topology, route)},
                       static_cast<double>(message.size),
                       in_seconds(microseconds(before.size) + route.latency)});
      message.after.push_back(static_cast<OpId>(ops.size()));
      ops.push_back(std::move(before));
      ops.push_back(std::move(message));
    }
    std::vector<double> capacities;
    for (const Bandwidth capacity : shared_capacities(topology))
      capacities.push_back(capacity.bytes_per_s);
    const std::vector<double> expected = SteppedTraffic(flows, capacities).ends();
    const auto result = run(topology, ops);
    for (size_t k = 0; k < flows.size(); ++k) {
      const Time end = result.end(static_cast<OpId>(2 * k + 1));
      ASSERT_NEAR(in_seconds(end), expected[k],
                  1e-9 * expected[k] + 1e-12 * static_cast<double>(flows.size()));
    }
  }
}

}  // namespace
}  // namespace pipewright::test
