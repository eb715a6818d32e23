// Law: what is remembered is what would be found again.
#include "network/nccl/time_memo.hpp"

#include <gtest/gtest.h>

#include "config/catalogue.hpp"

namespace pipewright {
namespace {

CollectiveProfile profile_of(const char* name) {
  return read_collective_profile(config::scalar(name), config::Catalogue()).value();
}

/// An all-reduce over 8 nodes of 8, and requests that each differ from it in one thing.
std::vector<NcclRequest> requests_that_differ() {
  const NcclRequest one{.kind = CollectiveKind::all_reduce,
                        .ranks = 64,
                        .nodes = 8,
                        .on_switch = true,
                        .ring_bandwidth = 300e9,
                        .node_bandwidth = 400e9,
                        .member_bandwidth = 40e9,
                        .network_hop_s = 3e-6,
                        .fabric = LinkKind::infiniband,
                        .bytes = {1 << 20}};
  std::vector<NcclRequest> all{one};
  const auto add = [&](auto member, auto value) {
    all.push_back(one);
    all.back().*member = value;
  };
  add(&NcclRequest::kind, CollectiveKind::all_gather);
  add(&NcclRequest::ranks, 32);
  add(&NcclRequest::nodes, 2);
  add(&NcclRequest::on_switch, false);
  add(&NcclRequest::nvlink, false);
  add(&NcclRequest::ring_bandwidth, 100e9);
  add(&NcclRequest::node_bandwidth, 200e9);
  add(&NcclRequest::network_hop_s, 9e-6);
  add(&NcclRequest::fabric, LinkKind::infiniband_sharp);
  add(&NcclRequest::beside_other_jobs, true);
  add(&NcclRequest::bytes, Bytes{1 << 22});
  add(&NcclRequest::element_bytes, 1);
  return all;
}

TEST(TimeMemo, tells_requests_and_profiles_apart) {
  const CollectiveProfile h100 = profile_of("h100-sxm"), a100 = profile_of("a100-sxm-80g");
  TimeMemo memo;
  for (int round = 0; round < 2; ++round)
    for (const GroupProfiles& profiles :
         {GroupProfiles{&h100}, GroupProfiles{&a100}, GroupProfiles{&h100, &a100}})
      for (const NcclRequest& request : requests_that_differ()) {
        const NcclTime known = memo.of(profiles, request), found = nccl_time(profiles, request);
        EXPECT_EQ(known.fixed_s, found.fixed_s);
        EXPECT_EQ(known.moving_s, found.moving_s);
        EXPECT_EQ(known.choice.algorithm, found.choice.algorithm);
      }
}

}  // namespace
}  // namespace pipewright
