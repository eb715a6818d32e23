#include "network/nccl/modelled_profile.hpp"

#include <gtest/gtest.h>

#include "config/catalogue.hpp"
#include "network/nccl/time.hpp"

namespace pipewright {
namespace {

CollectiveProfile modelled_on(const char* tuning, bool nvlink) {
  const NcclTuning read = read_nccl_tuning(config::scalar(tuning), config::Catalogue());
  return modelled_profile("some device", read, nvlink);
}

/// A gibibyte over two nodes of eight, whose one NIC carries 25 GB/s.
NcclRequest over_one_nic(CollectiveKind kind) {
  return {.kind = kind,
          .ranks = 16,
          .nodes = 2,
          .on_switch = true,
          .ring_bandwidth = 25e9,
          .node_bandwidth = 450e9,
          .fabric = LinkKind::infiniband,
          .bytes = GiB};
}

// Simple reaches 0.96 of the NIC; 15 of 16 parts go over it, and 1 % is for the ends and latency.
TEST(ModelledProfile, a_large_ring_takes_what_the_nic_lets_through) {
  for (const char* tuning : {"hopper", "blackwell", "ampere", "volta", "rccl"}) {
    const NcclTime time =
        nccl_time(modelled_on(tuning, true), over_one_nic(CollectiveKind::all_gather));
    const double links = 15 / 16.0 * static_cast<double>(GiB.count) / (0.96 * 25e9);
    EXPECT_GE(time.total_s(), links) << tuning;
    EXPECT_LE(time.total_s(), 1.03 * links) << tuning;
  }
}

TEST(ModelledProfile, latencies_are_those_by_which_nccl_chooses) {
  const CollectiveProfile pcie = modelled_on("pcie", false), nvlink = modelled_on("hopper", true);
  EXPECT_DOUBLE_EQ(pcie.ring[0].base_s, 6.6e-6);
  EXPECT_DOUBLE_EQ(pcie.ring[0].hop_s, 1e-6);
  EXPECT_DOUBLE_EQ(nvlink.ring[0].hop_s, 0.6e-6);
}

}  // namespace
}  // namespace pipewright
