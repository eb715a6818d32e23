// Chooses the measured times of collectives that hold on a cluster.
#pragma once

#include <optional>

#include "network/nccl/measured_network.hpp"
#include "network/nccl/profile.hpp"
#include "topology/cluster/cluster.hpp"

namespace pipewright {

namespace config {
class Catalogue;
}

/// The profile with the name of the cluster's devices, where they are all of one type and stand in
/// nodes whose links are known; nothing where devices are joined by a `link:` or are of several
/// types, or nobody measured them: then links follow their data sheets.
std::optional<CollectiveProfile> collective_profile_of(const Cluster& cluster,
                                                       const config::Catalogue& catalogue);

/// What was measured on the cluster's fabric, where its file says so. Throws InputError.
std::optional<NetworkProfile> network_profile_of(const Cluster& cluster);

/// "h100-sxm (measured, NCCL 2.29.2; held out of its fit: median error 3.9 %, 95th percentile
/// 12.3 %)", or that links follow their data sheets.
std::string describe(const std::optional<CollectiveProfile>& profile);
/// ", times as measured over up to 8 nodes"; "" where nothing was.
std::string describe(const MeasuredNetwork* measured);

}  // namespace pipewright
