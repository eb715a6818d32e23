// Exchanges of tokens against what the libraries published of themselves.
#include "network/nccl/exchange.hpp"

#include <gtest/gtest.h>

#include "config/catalogue.hpp"
#include "support/error_of.hpp"
#include "workload/transformer/expert_spread.hpp"

namespace pipewright::test {
namespace {

/// 4,096 tokens of 7,168 numbers, as both libraries are measured with.
constexpr double tokens = 4096, row = 7168 * 2;

Exchange by(const char* library, Experts experts) {
  return {read_exchange_rates(config::scalar(library), config::Catalogue()), experts};
}

/// Devices of eight a node, whose links are as in the measurement.
NcclRequest exchange_request(int ranks, double links) {
  NcclRequest r{.ranks = ranks, .nodes = std::max(1, ranks / 8)};
  r.ring_bandwidth = r.node_bandwidth = links;
  r.member_bandwidth = 50e9;
  return r;
}

/// Returns bytes by the second as published: of what goes once to each node, or on one node to each
/// device, its own part counted.
double published(const Exchange& exchange, NcclRequest r) {
  const int places = r.nodes > 1 ? r.nodes : r.ranks;
  const double copies = static_cast<double>(exchange.experts.active);
  r.bytes = {std::llround(tokens * row * copies * sent_once(exchange.experts, places))};
  return static_cast<double>(r.bytes.count) / exchange_moving_s(exchange, r, 0.96);
}

TEST(Exchange, deepep_reaches_what_it_published) {
  // docs/legacy.md: H800, 256 experts, 8 active. Where there are more nodes than four a token goes
  // to four groups of eight, a node each; the program that measures takes as many groups as nodes.
  const auto rate = [](int ranks, int64_t groups) {
    const Experts experts{
        .count = 256, .active = 8, .groups = groups, .active_groups = std::min<int64_t>(groups, 4)};
    return published(by("deepep", experts), exchange_request(ranks, 160e9)) / 1e9;
  };
  EXPECT_NEAR(rate(8, 1), (153 + 158) / 2.0, 0.5);
  EXPECT_NEAR(rate(16, 2), 43, 0.5);
  EXPECT_NEAR(rate(32, 4), (58 + 57) / 2.0, 0.5);
  EXPECT_NEAR(rate(64, 8), (51 + 50) / 2.0, 0.5);
}

TEST(Exchange, hybridep_reaches_what_it_published) {
  // Hybrid-EP_Implementation.md: eight experts a device. Two nodes of H100, then ranks of GB200.
  const auto rate = [](int ranks, int nodes, double links) {
    NcclRequest r = exchange_request(ranks, links);
    r.nodes = nodes;
    return published(by("hybridep", {.count = 8 * ranks, .active = 8}), r) / 1e9;
  };
  EXPECT_NEAR(rate(16, 2, 450e9), (71.71 + 62.95) / 2, 0.5);
  EXPECT_NEAR(rate(64, 8, 450e9), (49.97 + 49.77) / 2, 0.5);
  EXPECT_NEAR(rate(8, 1, 900e9), (750.15 + 684.27) / 2, 0.5);
  EXPECT_NEAR(rate(36, 1, 900e9), (612.85 + 543.27) / 2, 0.5);
}

TEST(Exchange, takes_longer_over_more_nodes_and_no_longer_over_faster_links) {
  for (const char* library : {"deepep", "deepep-low-latency", "hybridep"}) {
    const Exchange exchange = by(library, {.count = 256, .active = 8});
    const auto time = [&](int ranks, double links, double nic) {
      NcclRequest r = exchange_request(ranks, links);
      r.member_bandwidth = nic;
      const int places = r.nodes > 1 ? r.nodes : r.ranks;
      const double share = exchange.rates.each_copy ? 1 : sent_once(exchange.experts, places);
      r.bytes = {std::llround(tokens * row * 8 * share)};
      return exchange_moving_s(exchange, r, 0.96);
    };
    for (int ranks = 8; ranks <= 256; ranks *= 2) {
      EXPECT_LE(time(ranks, 160e9, 50e9), time(2 * ranks, 160e9, 50e9)) << library << ranks;
      EXPECT_LE(time(ranks, 900e9, 50e9), time(ranks, 160e9, 50e9)) << library << ranks;
      EXPECT_LE(time(ranks, 160e9, 100e9), time(ranks, 160e9, 50e9)) << library << ranks;
    }
  }
}

TEST(Exchange, shares_lie_between_measured_ones_and_stay_level_outside) {
  const std::vector<ExchangeRates::Point> points = {{4, 0.5}, {16, 0.75}};
  EXPECT_EQ(share_at(points, 2), 0.5);
  EXPECT_NEAR(share_at(points, 8), 0.625, 1e-12);  // half of the way by the logarithm
  EXPECT_EQ(share_at(points, 64), 0.75);
}

TEST(Exchange, points_out_of_order_are_refused_where_they_stand) {
  const std::string text =
      "nic: 50 GB/s\nnvlink: 160 GB/s\nlinks: [{ranks: 8, dispatch: 1 GB/s, combine: 1 GB/s}]\n"
      "network:\n  - {nodes: 4, dispatch: 1 GB/s, combine: 1 GB/s}\n"
      "  - {nodes: 2, dispatch: 1 GB/s, combine: 1 GB/s}\n";
  const std::string error =
      error_of([&] { read_exchange_rates(config::parse(text, "d.yaml"), config::Catalogue()); });
  EXPECT_NE(error.find("d.yaml:6:13"), std::string::npos) << error;
}

}  // namespace
}  // namespace pipewright::test
