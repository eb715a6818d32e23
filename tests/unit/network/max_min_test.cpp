// Times small enough to be found by hand: links of 1 GB/s, so a gigabyte alone takes a second.
#include "network/max_min.hpp"

#include <gtest/gtest.h>

#include <random>

#include "support/network_units.hpp"

namespace pipewright {
namespace {

using test::gigabyte_per_s;
constexpr Bytes gigabyte{1'000'000'000};

/// Ids that end, with their times, until nothing is in flight.
std::vector<std::pair<uint32_t, Time>> run_out(SharingModel& network) {
  std::vector<std::pair<uint32_t, Time>> ends;
  std::vector<uint32_t> ids;
  while (network.next_completion() < longest_time) {
    const Time now = network.next_completion();
    ids.clear();
    network.pop_completed(now, ids);
    for (const uint32_t id : ids) ends.emplace_back(id, now);
  }
  return ends;
}

class OneLink : public testing::Test {
 protected:
  void add(uint32_t id, Bytes bytes, Time now, Flow flow = {}) {
    flow.id = id;
    flow.links = only;
    flow.bytes = bytes;
    network.add(flow, now);
  }
  Time end_of(uint32_t id) {
    if (ends.empty()) ends = run_out(network);
    for (const auto& [ended, time] : ends)
      if (ended == id) return time;
    return longest_time;
  }
  const std::vector<uint32_t> only{0};
  MaxMinSharing network{std::vector<Bandwidth>{gigabyte_per_s}};
  std::vector<std::pair<uint32_t, Time>> ends;
};

TEST_F(OneLink, nothing_in_flight_never_ends) {
  EXPECT_EQ(network.next_completion(), longest_time);
}

TEST_F(OneLink, two_alike_take_twice_as_long_and_end_in_order_of_id) {
  add(7, gigabyte, {});
  add(3, gigabyte, {});
  EXPECT_EQ(network.next_completion(), milliseconds(2000));
  std::vector<uint32_t> ids;
  network.pop_completed(milliseconds(2000), ids);
  EXPECT_EQ(ids, (std::vector<uint32_t>{3, 7}));
}

TEST_F(OneLink, the_longer_one_speeds_up_when_the_other_has_ended) {
  // Both have 1 GB behind them after 2 s; the longer has the other 2 GB to itself.
  add(0, gigabyte, {});
  add(1, 3 * gigabyte, {});
  EXPECT_EQ(end_of(0), milliseconds(2000));
  EXPECT_EQ(end_of(1), milliseconds(4000));
}

TEST_F(OneLink, a_later_one_shares_what_is_left) {
  // The first has 1 GB left after 1 s: then two flows of 1 GB each.
  add(0, 2 * gigabyte, {});
  add(1, gigabyte, milliseconds(1000));
  EXPECT_EQ(end_of(0), milliseconds(3000));
  EXPECT_EQ(end_of(1), milliseconds(3000));
}

TEST_F(OneLink, a_higher_priority_stops_the_others) {
  add(0, 2 * gigabyte, {});
  add(1, gigabyte, milliseconds(1000), {.priority = 1});
  EXPECT_EQ(end_of(1), milliseconds(2000));
  EXPECT_EQ(end_of(0), milliseconds(3000));
}

TEST_F(OneLink, twice_the_weight_is_twice_as_fast) {
  // 2/3 and 1/3 GB/s: the heavy one ends after 1.5 s, when the other has half a gigabyte left.
  add(0, gigabyte, {}, {.weight = 2});
  add(1, gigabyte, {});
  EXPECT_EQ(end_of(0), milliseconds(1500));
  EXPECT_EQ(end_of(1), milliseconds(2000));
}

TEST_F(OneLink, a_cap_holds_a_flow_back_even_when_alone) {
  add(0, gigabyte, {}, {.cap = 0.25e9});
  EXPECT_EQ(end_of(0), milliseconds(4000));
}

TEST_F(OneLink, a_flow_that_stands_for_four_takes_four_times_as_long) {
  add(0, gigabyte, {}, {.multiplicity = 4});
  EXPECT_EQ(end_of(0), milliseconds(4000));
}

TEST_F(OneLink, no_bytes_take_no_time_and_hold_nobody_up) {
  add(0, gigabyte, {});
  add(1, {}, milliseconds(250));
  EXPECT_EQ(network.next_completion(), milliseconds(250));
  EXPECT_EQ(end_of(1), milliseconds(250));
  EXPECT_EQ(end_of(0), milliseconds(1000));
}

TEST_F(OneLink, alone_takes_exactly_bytes_over_bandwidth) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 2000; ++round) {
    const Bandwidth bandwidth{std::exp2(20 + static_cast<double>(random() % 2000) / 100)};
    const Bytes bytes{static_cast<int64_t>(1 + random() % (uint64_t{1} << (1 + random() % 36)))};
    const Time start{static_cast<int64_t>(random() % 1'000'000'000'000)};
    MaxMinSharing alone(std::vector<Bandwidth>{bandwidth});
    alone.add({.links = only, .bytes = bytes}, start);
    ASSERT_EQ(alone.next_completion(), start + bytes / bandwidth);
  }
}

TEST_F(OneLink, alone_it_takes_as_long_with_any_weight) {
  // None of these is a binary fraction, nor are their parts of a flow over two ways.
  for (const double weight : {1e-6, 0.001, 0.3, 1.0 / 3, 1e6 / 7}) {
    MaxMinSharing alone(std::vector<Bandwidth>{gigabyte_per_s});
    alone.add({.links = only, .bytes = gigabyte, .weight = weight}, {});
    EXPECT_EQ(alone.next_completion(), milliseconds(1000)) << weight;
  }
}

TEST(MaxMinSharing, a_flow_that_gets_nothing_never_ends) {
  MaxMinSharing network(std::vector<Bandwidth>{{0}});
  network.add({.links = std::vector<uint32_t>{0}, .bytes = gigabyte}, {});
  EXPECT_EQ(network.next_completion(), longest_time);
}

TEST(MaxMinSharing, over_unbounded_links_bytes_arrive_at_once) {
  MaxMinSharing network(std::vector<Bandwidth>{{std::numeric_limits<double>::infinity()}});
  network.add({.links = std::vector<uint32_t>{0}, .bytes = gigabyte}, milliseconds(5));
  EXPECT_EQ(network.next_completion(), milliseconds(5));
}

}  // namespace
}  // namespace pipewright
