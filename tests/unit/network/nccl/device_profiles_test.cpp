#include "network/nccl/device_profiles.hpp"

#include <gtest/gtest.h>

namespace pipewright {
namespace {

CollectiveProfile named(std::string name, double pair_base_s) {
  CollectiveProfile profile;
  profile.name = std::move(name);
  profile.pairs.base_s = pair_base_s;
  profile.pairs.first_bandwidth = profile.pairs.early_bandwidth = profile.pairs.bandwidth = 1e9;
  return profile;
}

/// Two devices of each of two measured types, then two that nobody measured.
DeviceProfiles three_types() {
  constexpr int unknown = DeviceProfiles::unknown;
  return {{named("quick", 1e-6), named("slow", 5e-6)}, {0, 0, 1, 1, unknown, unknown}};
}

std::vector<std::string> names_of(std::initializer_list<int> devices) {
  const DeviceProfiles profiles = three_types();
  std::vector<std::string> names;
  for (const CollectiveProfile* profile : profiles.of(std::vector<int>(devices)))
    names.push_back(profile->name);
  return names;
}

using Names = std::vector<std::string>;

TEST(DeviceProfiles, of_a_group_are_those_of_its_members_each_once) {
  EXPECT_EQ(names_of({0, 1}), Names{"quick"});
  EXPECT_EQ(names_of({0, 2, 1, 3}), (Names{"quick", "slow"}));
}

TEST(DeviceProfiles, a_member_that_nobody_measured_leaves_a_group_without) {
  EXPECT_EQ(names_of({0, 4}), Names{});
  EXPECT_TRUE(DeviceProfiles().of(std::vector<int>{0, 1}).empty());
}

TEST(DeviceProfiles, a_modelled_one_holds_between_nodes_only) {
  CollectiveProfile modelled = named("modelled", 1e-6);
  modelled.modelled = true;
  const DeviceProfiles profiles({named("measured", 1e-6), modelled}, {0, 0, 1, 1, 1},
                                {0, 1, 2, 2, 3});
  const auto count = [&](std::vector<int> devices) { return profiles.of(devices).size(); };
  EXPECT_EQ(count({0, 1}), 1u);
  EXPECT_EQ(count({2, 3}), 0u);
  EXPECT_EQ(count({2, 4}), 1u);
  EXPECT_EQ(count({0, 2, 3}), 2u);
}

TEST(DeviceProfiles, unlike_members_take_what_the_slowest_takes) {
  NcclRequest request;
  request.ranks = 2;
  request.ring_bandwidth = 1e12;
  request.bytes = Bytes{1000};
  const DeviceProfiles profiles = three_types();
  const auto seconds = [&](std::vector<int> devices) {
    return nccl_message_time(profiles.of(devices), request).total_s();
  };
  EXPECT_NEAR(seconds({0, 1}), 2e-6, 1e-12);
  EXPECT_NEAR(seconds({2, 3}), 6e-6, 1e-12);
  EXPECT_EQ(seconds({0, 2}), seconds({2, 3}));
  EXPECT_EQ(seconds({2, 0}), seconds({2, 3}));
}

}  // namespace
}  // namespace pipewright
