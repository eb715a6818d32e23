// Chooses the measured times of collectives that hold on a cluster.
#pragma once

#include <optional>

#include "network/nccl/device_profiles.hpp"
#include "network/nccl/measured_network.hpp"
#include "topology/cluster/cluster.hpp"

namespace pipewright {

namespace config {
class Catalogue;
}
struct AskedProfile;

/// Returns for each device the profile with the name of its type; the one that is asked for, where
/// it stands for the device and has collectives, goes before it. A device has none where it is
/// joined to others by a `link:` and not in a node. Where nobody measured its type, it has that of
/// its generation, or that of NCCL's own model, which holds between nodes, or none, where its type
/// says nothing of NCCL: then its links follow their data sheets.
DeviceProfiles collective_profiles_of(const Cluster& cluster, const config::Catalogue& catalogue,
                                      const AskedProfile& asked);
DeviceProfiles collective_profiles_of(const Cluster& cluster, const config::Catalogue& catalogue);

/// What was measured on the cluster's fabric, where its file says so. Throws InputError.
std::optional<NetworkProfile> network_profile_of(const Cluster& cluster);

/// "h100-sxm (measured, NCCL 2.29.2; held out of its fit: median error 3.9 %, 95th percentile
/// 12.3 %)".
std::string describe(const CollectiveProfile& profile);
/// The descriptions of a group's profiles, or that links follow their data sheets.
std::string describe(const GroupProfiles& profiles);
/// ", times as measured over up to 8 nodes", of one operation or, without a name, of all; "" where
/// nothing was.
std::string describe(const MeasuredNetwork* measured, const Cluster& cluster,
                     std::string_view operation = {});

}  // namespace pipewright
