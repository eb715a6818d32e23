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

TEST(CollectiveProfiles, the_text_names_what_was_measured) {
  CollectiveProfile profile;
  profile.name = "mine.yaml";
  profile.measured = true;
  profile.software = "NCCL 2.29";
  EXPECT_EQ(describe(profile), "mine.yaml (measured, NCCL 2.29)");
  EXPECT_TRUE(describe(GroupProfiles{}).starts_with("none"));
}

}  // namespace
}  // namespace pipewright::test
