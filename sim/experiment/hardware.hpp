// The hardware that an experiment names: its cluster, and the profile of its devices.
#pragma once

#include <optional>
#include <string>

#include "cost/profile.hpp"
#include "experiment/experiment.hpp"
#include "network/nccl/profile.hpp"
#include "topology/cluster/cluster.hpp"

namespace pipewright {

/// The times of an experiment are given by it, and not computed from its devices.
bool gives_times(const Experiment& experiment);

/// Reads the cluster. Throws InputError for what has no meaning there, and where it must say which
/// devices it has and does not.
Cluster cluster_of(const Experiment& experiment, const config::Catalogue& catalogue);

/// Tells whether a device multiplies in MXFP8: NVIDIA's since Blackwell and AMD's since MI350
/// (Transformer Engine's quantization.py, check_mxfp8_support). Of one without fp8 nothing is
/// known.
bool has_mxfp8(const Device& device);

/// Tells whether routes between nodes are drawn, for each flow or each packet.
bool has_drawn_routes(const Experiment& experiment);

/// Reads the cluster with the spines of its fat-tree one by one. Empty where no routes are drawn.
std::optional<Cluster> drawn_cluster_of(const Experiment& experiment,
                                        const config::Catalogue& catalogue);

/// The profiles that an experiment asks for.
struct AskedProfile {
  std::optional<Profile> named;  ///< for the devices that it stands for
  /// Of `named`, called as the user calls it.
  std::optional<CollectiveProfile> collectives;
  bool measured = true;  ///< else each device has the one measured for it, if there is one
};

/// Reads `profile`. Throws InputError where it names one of a device that `cluster` does not have.
AskedProfile asked_profile(const Experiment& experiment, const Cluster& cluster,
                           const config::Catalogue& catalogue);
bool stands_for(const Profile& profile, const Device& device);

/// All that the two above and stragglers are read from, as text.
std::string hardware_text(const Experiment& experiment);

}  // namespace pipewright
