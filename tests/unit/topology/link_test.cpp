#include "topology/link.hpp"

#include <gtest/gtest.h>

#include "config/catalogue.hpp"
#include "error_of.hpp"

namespace pipewright {
namespace {

LinkType link_of(std::string_view yaml) {
  return read_link(config::parse(yaml, "link.yaml"), config::Catalogue());
}

TEST(Link, a_name_is_looked_up) {
  const LinkType hdr = link_of("hdr");
  EXPECT_EQ(hdr.name, "hdr");
  EXPECT_EQ(hdr.kind, LinkKind::infiniband);
  EXPECT_DOUBLE_EQ(hdr.bandwidth.bytes_per_s, 25e9);
}

TEST(Link, nothing_given_means_no_latency_and_no_bound) {
  const LinkType link = link_of("{latency: 0 s}");
  EXPECT_EQ(link.latency, Time{});
  EXPECT_EQ(link.bandwidth.bytes_per_s, std::numeric_limits<double>::infinity());
  EXPECT_EQ(link.sharing, Sharing::each_direction);
}

TEST(Link, a_wrong_unit_is_reported_at_its_place) {
  EXPECT_EQ(test::error_of([] { link_of("{latency: 5 us,\n bandwidth: 3 m}"); }),
            "link.yaml:2:13: error: '3 m' has the unit 'm', but must be a bandwidth such as "
            "25 GB/s or 200 Gb/s");
}

TEST(Link, an_unknown_key_suggests_the_nearest) {
  EXPECT_EQ(test::error_of([] { link_of("{latancy: 5 us}"); }),
            "link.yaml:1:2: error: unknown key 'latancy'; did you mean 'latency'?");
}

}  // namespace
}  // namespace pipewright
