// Rates against the formulas of SIGCOMM 2015, and what two senders make of a link.
#include "network/packet/dcqcn_rate.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "network/packet/packet_network.hpp"
#include "support/network_units.hpp"

namespace pipewright {
namespace {

using test::us;

TEST(DcqcnRate, begins_at_the_port_s) { EXPECT_EQ(DcqcnRate(5e9).at(seconds(1)), 5e9); }

// a = 1 at first, so the first notice halves the rate. Each of five periods takes back a half.
TEST(DcqcnRate, a_notice_halves_and_five_periods_take_back_all_but_a_part) {
  DcqcnRate rate(5e9);
  rate.notice(Time{});
  EXPECT_NEAR(rate.at(Time{}), 2.5e9, 1);
  EXPECT_NEAR(rate.at(55 * us), 3.75e9, 1);
  EXPECT_NEAR(rate.at(275 * us), 5e9 - 2.5e9 / 32, 1);
}

TEST(DcqcnRate, notices_within_fifty_microseconds_are_one) {
  DcqcnRate rate(5e9);
  rate.notice(Time{});
  rate.notice(49 * us);
  EXPECT_NEAR(rate.at(49 * us), 2.5e9, 1);
  rate.notice(50 * us);
  EXPECT_LT(rate.at(50 * us), 2.5e9);
}

// After a cut from a low target the target grows by 40 Mb/s a period.
TEST(DcqcnRate, grows_by_little_once_it_is_back_at_its_target) {
  DcqcnRate rate(5e9);
  for (int k = 0; k < 8; ++k) rate.notice(k * 50 * us);
  const Time last = 7 * 50 * us;
  const double before = rate.at(last + 20 * 55 * us), after = rate.at(last + 21 * 55 * us);
  EXPECT_GT(after - before, 4.9e6);
  EXPECT_LT(after - before, 5.1e6);
}

TEST(DcqcnRate, without_notices_cuts_become_small) {
  DcqcnRate rate(5e9);
  rate.notice(Time{});
  rate.at(seconds(1));
  rate.notice(seconds(1));
  EXPECT_GT(rate.at(seconds(1)), 4.99e9);
}

/// 150 MB from each of `senders` over 5 GB/s into one port of 5 GB/s.
PacketTraffic controlled_incast(uint32_t senders, RateControl control) {
  std::vector<PacketRoute> routes;
  for (uint32_t sender = 0; sender < senders; ++sender)
    routes.push_back({{sender, us}, {senders, us}});
  std::vector<PacketFlow> flows;
  for (const PacketRoute& route : routes)
    flows.push_back({.routes = {&route}, .bytes = {150'000'000}});
  const std::vector<Bandwidth> ports(senders + 1, Bandwidth{5e9});
  return run_packets(flows, ports,
                     {.mtu = {16'000},
                      .queue = {4'000'000},
                      .control = control,
                      .mark = Bytes{5'000},
                      .pause = Bytes{400'000},
                      .rto = milliseconds(100)});
}

TEST(Dcqcn, alone_it_sends_as_fast_as_the_port) {
  const Time end = controlled_incast(1, RateControl::dcqcn).flows[0].end;
  EXPECT_NEAR(in_seconds(end), 150e6 / 5e9 + 3.2e-6 + 2e-6, 1e-8);
}

// With rates and pauses nothing is lost, no flow ends long before another, and the port is busy
// most of the time (the paper's incasts lose a few per cent).
TEST(Dcqcn, an_incast_is_fair_and_loses_nothing) {
  for (const uint32_t senders : {2u, 4u}) {
    const PacketTraffic traffic = controlled_incast(senders, RateControl::dcqcn);
    double first = 1e9, last = 0;
    for (const PacketFlowResult& flow : traffic.flows) {
      EXPECT_EQ(flow.dropped, 0u);
      first = std::min(first, in_seconds(flow.end));
      last = std::max(last, in_seconds(flow.end));
    }
    const double least = senders * 150e6 / 5e9;
    EXPECT_GT(last, least);
    EXPECT_LT(last, 1.35 * least) << senders;
    EXPECT_GT(first, 0.7 * last) << senders;
  }
}

}  // namespace
}  // namespace pipewright
