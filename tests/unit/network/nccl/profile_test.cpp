#include "network/nccl/profile.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "config/catalogue.hpp"
#include "config/emit.hpp"
#include "error_of.hpp"
#include "network/nccl/time.hpp"

namespace pipewright {
namespace {

std::optional<CollectiveProfile> shipped(const std::string& name) {
  return read_collective_profile(config::scalar(name), config::Catalogue());
}

TEST(CollectiveProfile, every_shipped_profile_can_be_read_and_stays_within_its_links) {
  for (const config::Listing& entry : config::Catalogue().list("profiles")) {
    const std::optional<CollectiveProfile> profile = shipped(entry.name);
    if (!profile) continue;
    EXPECT_FALSE(entry.description.empty()) << entry.name;
    for (const CollectiveKind kind : {CollectiveKind::all_gather, CollectiveKind::all_to_all}) {
      for (int ranks = 2; ranks <= 8; ++ranks) {
        for (int power = 3; power <= 33; ++power) {
          NcclRequest request{.kind = kind, .ranks = ranks, .on_switch = true};
          request.ring_bandwidth = profile->link_bandwidth;
          request.bytes = {int64_t{1} << power};
          // Each member takes in all but its own part.
          const double bytes = std::ldexp(1.0, power) * (ranks - 1) / ranks;
          EXPECT_LE(bytes / nccl_time(*profile, request).total_s(), profile->link_bandwidth)
              << entry.name << " " << ranks << " " << power;
        }
      }
    }
  }
}

TEST(CollectiveProfile, the_measured_ones_say_how_good_they_are) {
  // The target: a median error under 5 % and a 95th percentile under 15 % on points not seen.
  for (const char* name : {"a100-sxm-80g", "h100-sxm"}) {
    const std::optional<CollectiveProfile> profile = shipped(name);
    ASSERT_TRUE(profile && profile->held_out) << name;
    EXPECT_TRUE(profile->measured);
    EXPECT_GE(profile->held_out->points, 300);
    EXPECT_LT(profile->held_out->median_abs_error, 0.05) << name;
    EXPECT_LT(profile->held_out->p95_abs_error, 0.15) << name;
  }
}

TEST(CollectiveProfile, what_is_written_reads_back) {
  const CollectiveProfile first = *shipped("h100-sxm");
  config::Value document;
  document.set("origin", config::scalar("measured"));
  document.set("collectives", to_value(first));
  const auto second = read_collective_profile(config::parse(config::to_yaml(document), "p.yaml"),
                                              config::Catalogue());
  ASSERT_TRUE(second);
  EXPECT_NEAR(second->ring[2].channel_bandwidth / first.ring[2].channel_bandwidth, 1, 1e-4);
  EXPECT_NEAR(second->pairs.base_s / first.pairs.base_s, 1, 1e-3);
  EXPECT_EQ(second->most_bytes, first.most_bytes);
}

TEST(CollectiveProfile, a_profile_without_collectives_has_none) {
  const config::Value value = config::parse("{origin: measured}", "p.yaml");
  EXPECT_FALSE(read_collective_profile(value, config::Catalogue()));
}

TEST(CollectiveProfile, mistakes_are_told_where_they_are) {
  const auto error = [](const char* text) {
    return test::error_of(
        [&] { read_collective_profile(config::parse(text, "p.yaml"), config::Catalogue()); });
  };
  EXPECT_NE(error("origin: measured\ncollectives: {tuning: frob}").find("p.yaml:2:"),
            std::string::npos);
  EXPECT_NE(error("origin: measured\ncollectives: {tuning: ampere, link_bandwidth: 0 B/s}")
                .find("p.yaml:2:"),
            std::string::npos);
}

}  // namespace
}  // namespace pipewright
