#include "machine/collective_profile.hpp"

#include <gtest/gtest.h>

#include "config/catalogue.hpp"
#include "experiment/hardware.hpp"

namespace pipewright::test {
namespace {

/// The software of the profile that holds on a DGX H100 where `text` is named.
std::string software_of(const std::string& text) {
  const config::Catalogue catalogue;
  const Cluster cluster =
      read_cluster(config::parse("{node: dgx-h100, nodes: 1}", "c.yaml"), catalogue);
  const config::Value value = config::parse(text, "p.yaml");
  const AskedProfile asked{.named = read_profile(catalogue.resolve("profiles", value), catalogue),
                           .collectives = read_collective_profile(value, catalogue),
                           .measured = false};
  return collective_profiles_of(cluster, catalogue, asked).all().front().software;
}

TEST(CollectiveProfiles, one_that_is_named_goes_before_that_of_the_device) {
  EXPECT_EQ(software_of("{base: h100-sxm, collectives: {software: mine}}"), "mine");
  EXPECT_NE(software_of("{base: b200-sxm, collectives: {software: mine}}"), "mine");
}

/// The first profile of a cluster.
CollectiveProfile first_of(const char* cluster) {
  const config::Catalogue catalogue;
  return collective_profiles_of(read_cluster(config::parse(cluster, "c.yaml"), catalogue),
                                catalogue)
      .all()
      .front();
}

TEST(CollectiveProfiles, a_device_that_nobody_measured_has_those_of_its_generation_or_a_model) {
  const CollectiveProfile h20 = first_of("{node: h20, nodes: 2}");
  EXPECT_FALSE(h20.measured);
  EXPECT_FALSE(h20.modelled);
  EXPECT_EQ(h20.software, first_of("{node: dgx-h100, nodes: 2}").software);
  EXPECT_TRUE(describe(h20).starts_with("h20-sxm (not measured: of its family"));
  for (const char* modelled : {"{node: h100-pcie, nodes: 2}", "{node: mi300x, nodes: 2}"}) {
    EXPECT_TRUE(first_of(modelled).modelled) << modelled;
    EXPECT_NE(describe(first_of(modelled)).find("NCCL's model of itself"), std::string::npos);
  }
}

TEST(CollectiveProfiles, the_text_names_what_was_measured) {
  CollectiveProfile profile;
  profile.name = "mine.yaml";
  profile.measured = true;
  profile.software = "NCCL 2.29";
  EXPECT_EQ(describe(profile), "mine.yaml (measured, NCCL 2.29)");
  EXPECT_TRUE(describe(GroupProfiles{}).starts_with("none"));
}

/// What is said of times over two nodes of `ranks` by `transport`, on a cluster.
std::string said_of(int ranks, const std::string& transport, const char* cluster) {
  NetworkProfile profile{.transport = transport,
                         .curves = {{"all_reduce", ranks, 2, {{1e6, 1e-3}}}}};
  const MeasuredNetwork measured(profile, [](std::string_view, int, int, double) { return 1e-3; });
  return describe(&measured, read_cluster(config::parse(cluster, "c.yaml"), config::Catalogue()));
}

TEST(CollectiveProfiles, a_measurement_of_fewer_ranks_or_another_network_is_said) {
  const char* const p5 = "{node: p5.48xlarge, nodes: 2}";
  EXPECT_EQ(
      said_of(8, "AWS Libfabric", p5),
      ", times as measured over up to 2 nodes of 8 ranks; beyond them by a fit; not measured: "
      "all_gather, reduce_scatter, all_to_all, broadcast, reduce, send_recv, which have the "
      "factor of all_reduce");
  EXPECT_EQ(said_of(8, "", p5), said_of(8, "AWS Libfabric", p5));
  EXPECT_NE(said_of(4, "", p5).find("nodes have 8 devices here"), std::string::npos);
  EXPECT_NE(said_of(8, "IB", p5).find("network 'IB', which efa links are not"), std::string::npos);
  EXPECT_NE(said_of(8, "Socket", "{node: dgx-h100, nodes: 2}").find("'Socket'"), std::string::npos);
}

TEST(CollectiveProfiles, on_one_node_nothing_is_said_of_the_network) {
  EXPECT_EQ(said_of(8, "", "{node: dgx-h100, nodes: 1}"), "");
}

TEST(CollectiveProfiles, an_operation_that_was_not_measured_names_whose_factor_it_has) {
  const NetworkProfile profile{.curves = {{"all_reduce", 8, 2, {{1e6, 1e-3}}}}};
  const MeasuredNetwork measured(profile, [](std::string_view, int, int, double) { return 1e-3; });
  const Cluster cluster =
      read_cluster(config::parse("{node: dgx-h100, nodes: 2}", "c.yaml"), config::Catalogue());
  EXPECT_TRUE(describe(&measured, cluster, "all_to_all")
                  .starts_with(", times by the factor that was measured of all_reduce over "));
  EXPECT_TRUE(describe(&measured, cluster, "all_reduce").starts_with(", times as measured over "));
}

}  // namespace
}  // namespace pipewright::test
