#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <string>

#include "clusters.hpp"
#include "error_of.hpp"
#include "network/resharding/plan.hpp"

namespace pipewright::resharding {
namespace {

// Machines of four GPUs with 10 Gb/s between them, 1.25 GB/s: 1.25 GB take a second to another
// host. The latency of the way, 10 us and less, is far below what is asked here.
const Topology& machines() {
  static const Topology topology =
      test::cluster_of("{node: p3.8xlarge, nodes: 6, fabric: {kind: star, link: eth-10}}").topology;
  return topology;
}

constexpr Bytes second{1'250'000'000};

double time_of(const Comparison& all, Strategy strategy, Balance balance) {
  for (const Plan& plan : all.plans)
    if (plan.strategy == strategy && plan.balance == balance) return in_seconds(plan.time);
  return -1;
}

Comparison all_of(const char* change) { return compare(machines(), read_change(change), second); }

TEST(Sharding, a_dimension_is_cut_over_one_side_of_the_mesh_or_both) {
  const Sharding mesh = read_change("S0S1R@(2,4) -> S10R@(2,4)").from;
  EXPECT_EQ(mesh.pieces(0), 2);
  EXPECT_EQ(mesh.pieces(1), 4);
  EXPECT_EQ(mesh.pieces(2), 1);
  EXPECT_EQ(mesh.piece(0, 5), 1);  // device 5 is in row 1, column 1
  EXPECT_EQ(mesh.piece(1, 5), 1);
  const Sharding both = read_change("S01@(2,4) -> S10@(2,4)").to;
  EXPECT_EQ(both.pieces(0), 8);
  EXPECT_EQ(both.piece(0, 5), 3);  // column 1 of four, row 1 of two
}

TEST(Sharding, the_shorter_side_s_further_dimensions_are_replicated) {
  const Change change = read_change("RS0R@(2,4) -> S01R@(3,4)");
  EXPECT_EQ(change.to.dimensions.size(), 3u);
  EXPECT_EQ(change.to.pieces(2), 1);
  EXPECT_EQ(change.to.devices(), 12);
}

TEST(Sharding, what_is_no_spec_is_told_where) {
  const auto error = [](const char* text) { return test::error_of([&] { read_change(text); }); };
  EXPECT_NE(error("XS0@(2,4) -> R@(1,1)").find("at character 1"), std::string::npos);
  EXPECT_NE(error("RS0@(2,0) -> R@(1,1)").find("a number of devices"), std::string::npos);
  EXPECT_NE(error("RS0@(2,4)").find("expected '->'"), std::string::npos);
  EXPECT_NE(error("S0S01@(2,4) -> R@(1,1)").find("no second dimension"), std::string::npos);
  EXPECT_NE(error("R@(2,4) -> R@(1,1) x").find("nothing more"), std::string::npos);
}

// Two halves, each on two neighbours, become two halves on one device each.
TEST(Pieces, neighbours_that_hold_the_same_take_turns) {
  const Sharding from{.dimensions = {Cut::columns}, .rows = 1, .columns = 4, .copies = 2};
  const Sharding to{.dimensions = {Cut::columns}, .rows = 1, .columns = 2};
  const std::vector<Piece> pieces = pieces_of({from, to});
  ASSERT_EQ(pieces.size(), 2u);
  EXPECT_DOUBLE_EQ(pieces[0].share, 0.5);
  EXPECT_EQ(pieces[0].holders, (std::vector<int>{0, 1}));
  EXPECT_EQ(pieces[1].holders, (std::vector<int>{2, 3}));
  EXPECT_EQ(pieces[1].takers, std::vector<int>{1});
}

TEST(Pieces, overlaps_of_thirds_and_halves_are_sixths_and_thirds) {
  const std::vector<Piece> pieces = pieces_of(read_change("S0@(2,1) -> S0@(3,1)"));
  ASSERT_EQ(pieces.size(), 4u);
  EXPECT_NEAR(pieces[0].share, 1 / 3.0, 1e-12);
  EXPECT_NEAR(pieces[1].share, 1 / 6.0, 1e-12);
  double sum = 0;
  for (const Piece& piece : pieces) sum += piece.share;
  EXPECT_NEAR(sum, 1, 1e-12);
}

TEST(Resharding, to_the_four_devices_of_another_host) {
  // One piece: four times, once and a gather over NVLink (three quarters of 1.25 GB at 25 GB/s and
  // more: under 40 ms), or once and a chain in 2385 parts.
  const Comparison all = all_of("R@(1,4) -> R@(1,4)");
  EXPECT_NEAR(time_of(all, Strategy::send_recv, Balance::none), 4, 1e-3);
  EXPECT_NEAR(time_of(all, Strategy::local_all_gather, Balance::none), 1.02, 0.02);
  EXPECT_NEAR(time_of(all, Strategy::broadcast, Balance::none), 1, 1e-3);
  EXPECT_NEAR(in_seconds(all.bound), 1, 1e-3);
}

TEST(Resharding, to_all_devices_of_two_hosts_broadcast_needs_half_and_an_eighth_of_the_time) {
  // Both hosts want all of it: 2 t with gathers in the hosts, t + 7/8 t with one among all, 8 t by
  // itself to each.
  const Comparison all = all_of("R@(1,4) -> R@(2,4)");
  EXPECT_NEAR(time_of(all, Strategy::send_recv, Balance::none), 8, 1e-3);
  EXPECT_NEAR(time_of(all, Strategy::local_all_gather, Balance::none), 2.02, 0.02);
  EXPECT_NEAR(time_of(all, Strategy::global_all_gather, Balance::none), 1.875, 1e-3);
  EXPECT_NEAR(time_of(all, Strategy::broadcast, Balance::none), 1, 2e-3);
}

TEST(Resharding, replicas_on_two_hosts_share_the_sending) {
  // Two halves for two hosts, held by both source hosts: one after the other from the first holder,
  // side by side when balanced.
  const Comparison all = all_of("RR@(2,4) -> S0R@(2,4)");
  EXPECT_NEAR(time_of(all, Strategy::broadcast, Balance::none), 1, 2e-3);
  EXPECT_NEAR(time_of(all, Strategy::broadcast, Balance::size), 0.5, 2e-3);
  EXPECT_NEAR(time_of(all, Strategy::broadcast, Balance::order), 0.5, 2e-3);
  EXPECT_NEAR(in_seconds(all.bound), 0.5, 1e-3);
}

TEST(Resharding, nothing_is_faster_than_the_bound_and_search_never_worse) {
  for (const char* change :
       {"RS0R@(2,4) -> S01R@(3,4)", "S0RR@(2,4) -> S0RR@(2,4)", "S1RR@(2,4) -> S0RR@(3,4)",
        "RS01R@(2,4) -> S01RR@(2,4)", "RRR@(1,4) -> S1RR@(2,4)", "S01R@(3,4) -> RS10@(2,4)"}) {
    const Comparison all = all_of(change);
    for (const Strategy strategy : strategies) {
      const double searched = time_of(all, strategy, Balance::order);
      EXPECT_LE(searched, time_of(all, strategy, Balance::none) + 1e-9) << change;
      EXPECT_LE(searched, time_of(all, strategy, Balance::size) + 1e-9) << change;
      EXPECT_GE(searched, in_seconds(all.bound) * (1 - 1e-9)) << change;
    }
  }
}

// Eight devices each send an eighth to one of another host: over a NIC each, or over the one of
// their host, as messages of the same bytes do. NDR carries 50 GB/s.
TEST(Resharding, hosts_with_several_nics_use_them_all) {
  for (const int nics : {8, 4, 1}) {
    const Topology nodes =
        test::cluster_of("{node: dgx-h100, nodes: 2, fabric: {kind: fat-tree, link: ndr, nics: " +
                         std::to_string(nics) + "}}")
            .topology;
    const double least = std::ldexp(1.0, 30) / (nics * 50e9);
    const Comparison all = compare(nodes, read_change("S01R@(2,4) -> S01R@(2,4)"), GiB);
    EXPECT_NEAR(in_seconds(all.bound), least, 1e-9) << nics;
    for (const Strategy strategy : strategies)
      EXPECT_NEAR(time_of(all, strategy, Balance::order), least, 1e-4) << nics;
  }
}

// Pieces that all eight devices want enter their host by as many NICs as they leave by.
TEST(Resharding, pieces_enter_a_host_on_the_rails_of_their_senders) {
  const Topology nodes =
      test::cluster_of("{node: dgx-h100, nodes: 2, fabric: {kind: fat-tree, link: ndr, nics: 8}}")
          .topology;
  const Comparison all = compare(nodes, read_change("S01R@(2,4) -> RR@(2,4)"), GiB);
  EXPECT_NEAR(time_of(all, Strategy::broadcast, Balance::order), std::ldexp(1.0, 30) / 400e9, 2e-4);
  EXPECT_GE(time_of(all, Strategy::broadcast, Balance::order), in_seconds(all.bound));
}

TEST(Resharding, meshes_that_need_more_devices_than_there_are_are_an_input_error) {
  EXPECT_NE(test::error_of([] { all_of("R@(4,4) -> R@(4,4)"); }).find("need 32 devices"),
            std::string::npos);
}

}  // namespace
}  // namespace pipewright::resharding
