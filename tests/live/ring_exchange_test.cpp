// What ranks get from each other, by packets or by the links of their devices, is what their group
// gets at once.
#include "calibrate/live/messages/ring_exchange.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "base/error.hpp"
#include "calibrate/live/executor/device_numbers.hpp"
#include "calibrate/train/layers/host_numbers.hpp"
#include "support/virtual_gpus.hpp"

namespace pipewright::live {
namespace {

using train::Exchange;
using train::Movement;
using train::Moving;

using Group = std::vector<std::vector<Moving>>;  // by member

std::vector<std::vector<kernels::Array>> by_packets(kernels::Kernels& kernels, const Group& group) {
  std::vector<RingExchange> members;
  for (size_t own = 0; own < group.size(); ++own)
    members.emplace_back(kernels, group[own], own, group.size());
  for (int step = 0; step < members[0].steps(); ++step) {
    std::vector<std::vector<float>> sent;
    for (const RingExchange& member : members) sent.push_back(member.outgoing(step));
    for (size_t own = 0; own < group.size(); ++own) {
      const size_t from = members[own].from(step);
      EXPECT_EQ(members[from].to(step), own);
      members[own].incoming(step, sent[from]);
    }
  }
  std::vector<std::vector<kernels::Array>> results;
  for (RingExchange& member : members) results.push_back(member.results(kernels));
  return results;
}

/// One collective.
struct Member final : NumberExchange {
  kernels::Array message(OpId) override { return {}; }
  void deliver(OpId, kernels::Array) override {}
  Extent extent(OpId) const override { return {}; }
  std::vector<Moving> bring(OpId) override { return moving; }
  void take(OpId, std::vector<kernels::Array> arrays) override { got = std::move(arrays); }
  std::vector<Moving> moving;
  std::vector<kernels::Array> got;
};

std::vector<std::vector<kernels::Array>> by_links(kernels::Kernels& kernels, const Group& group) {
  Program program;
  program.types.push_back({.kind = OpKind::collective});
  program.ops.push_back({});
  transport::DeviceChannel all;
  for (uint32_t rank = 0; rank < group.size(); ++rank) all.members.push_back(rank);
  const std::vector<transport::DeviceChannel> channels = {all};
  test::MeetingPlace place;
  place.open(channels);
  std::vector<Member> members(group.size());
  std::vector<std::thread> threads;
  for (uint32_t rank = 0; rank < group.size(); ++rank) {
    members[rank].moving = group[rank];
    threads.emplace_back([&, rank] {
      test::VirtualLinks links(place, rank, test::prompt());
      DeviceNumbers(program, rank, channels, members[rank], kernels, links)
          .put({.op = 0, .part = Launch::Part::collective, .waits_for = {}});
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::vector<std::vector<kernels::Array>> results;
  for (Member& member : members) results.push_back(std::move(member.got));
  return results;
}

/// Whole numbers, so that sums are the same in any order.
Moving random_moving(kernels::Kernels& kernels, train::Random& random, Exchange how, int64_t rows,
                     int64_t columns, const Movement* cut = nullptr) {
  std::vector<float> numbers;
  for (int64_t i = 0; i < rows * columns; ++i)
    numbers.push_back(static_cast<float>(random.index(100)));
  return {how, train::array_of(kernels, numbers, columns), cut};
}

Group copy_of(kernels::Kernels& kernels, const Group& group) {
  Group copies = group;
  for (auto& member : copies)
    for (Moving& one : member)
      one.array =
          train::array_of(kernels, train::numbers_of(kernels, one.array), one.array.tensor.columns);
  return copies;
}

using Mover = std::vector<std::vector<kernels::Array>> (&)(kernels::Kernels&, const Group&);

void expect_as_at_once(kernels::Kernels& kernels, Group group, Mover mover, float tolerance) {
  const auto moved = mover(kernels, copy_of(kernels, group));
  for (size_t k = 0; k < group.front().size(); ++k) {
    std::vector<Moving*> at_once;
    for (auto& member : group) at_once.push_back(&member[k]);
    train::carry_out(kernels, at_once);
    for (size_t i = 0; i < group.size(); ++i) {
      const auto expected = train::numbers_of(kernels, group[i][k].array);
      const auto got = train::numbers_of(kernels, moved[i][k]);
      ASSERT_EQ(got.size(), expected.size());
      EXPECT_EQ(moved[i][k].tensor.columns, group[i][k].array.tensor.columns);
      for (size_t n = 0; n < got.size(); ++n)
        EXPECT_NEAR(got[n], expected[n], tolerance * std::abs(expected[n])) << i << ", " << n;
    }
  }
}

void expect_as_at_once(kernels::Kernels& kernels, const Group& group, float tolerance = 0) {
  {
    SCOPED_TRACE("by packets");
    expect_as_at_once(kernels, copy_of(kernels, group), by_packets, tolerance);
  }
  SCOPED_TRACE("by links");
  expect_as_at_once(kernels, copy_of(kernels, group), by_links, tolerance);
}

TEST(RingExchange, sums_gathers_and_scatters) {
  const auto kernels = kernels::cpu_kernels();
  train::Random random(1);
  for (const size_t members : {1, 2, 3, 5}) {
    for (const Exchange how : {Exchange::sum, Exchange::gather, Exchange::scatter}) {
      Group group(members);
      for (auto& member : group) member = {random_moving(*kernels, random, how, 1, 30)};
      expect_as_at_once(*kernels, group);
    }
  }
}

// The target's logit is somewhere, the others bring 0.
TEST(RingExchange, joins_the_statistics_of_a_softmax) {
  const auto kernels = kernels::cpu_kernels();
  train::Random random(2);
  for (const size_t members : {2, 3}) {
    Group group(members);
    for (auto& member : group)
      member = {random_moving(*kernels, random, Exchange::softmax, 7, 4 + 3)};
    expect_as_at_once(*kernels, group, 1e-6f);
  }
}

TEST(RingExchange, what_goes_along_needs_no_rounds_of_its_own) {
  const auto kernels = kernels::cpu_kernels();
  train::Random random(3);
  Group group(3);
  for (auto& member : group)
    member = {random_moving(*kernels, random, Exchange::scatter, 1, 12),
              random_moving(*kernels, random, Exchange::sum, 1, 5)};
  expect_as_at_once(*kernels, group);
  EXPECT_EQ(RingExchange(*kernels, group[0], 0, 3).steps(), 4);
}

// Windows of 3 rows of 4 numbers, padded by 1, over strips of 7 rows.
TEST(RingExchange, rows_of_strips_and_their_samples) {
  const auto kernels = kernels::cpu_kernels();
  train::Random random(4);
  for (const int members : {2, 3}) {
    Movement cut{train::even_parts(28, members, 4), {}};
    for (const train::Range& own : cut.own) cut.want.push_back({own.first - 4, own.count + 8});
    const auto columns = [&](Exchange how, size_t i) {
      if (how == Exchange::strips) return int64_t{28};
      return how == Exchange::home ? cut.want[i].count : cut.own[i].count;
    };
    for (const Exchange how :
         {Exchange::halo, Exchange::home, Exchange::samples, Exchange::strips}) {
      Group group(static_cast<size_t>(members));
      for (size_t i = 0; i < group.size(); ++i)
        group[i] = {random_moving(*kernels, random, how, 6, columns(how, i), &cut)};
      expect_as_at_once(*kernels, group);
    }
  }
}

TEST(RingExchange, other_numbers_than_expected_are_an_error) {
  const auto kernels = kernels::cpu_kernels();
  train::Random random(5);
  RingExchange one(*kernels, {random_moving(*kernels, random, Exchange::sum, 1, 6)}, 0, 2);
  EXPECT_THROW(one.incoming(0, std::vector<float>(5)), Failure);
}

}  // namespace
}  // namespace pipewright::live
