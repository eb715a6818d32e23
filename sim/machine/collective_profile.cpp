#include "machine/collective_profile.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "config/catalogue.hpp"

namespace pipewright {

std::optional<CollectiveProfile> collective_profile_of(const Cluster& cluster,
                                                       const config::Catalogue& catalogue) {
  const bool loose = std::any_of(cluster.nodes.begin(), cluster.nodes.end(),
                                 [](const ClusterNode& node) { return node.type == "device"; });
  if (loose || cluster.device_types.empty()) return std::nullopt;
  const std::string& device = cluster.device_types.front().name;
  for (const Device& type : cluster.device_types)
    if (type.name != device) return std::nullopt;
  const std::vector<std::string> known = catalogue.names("profiles");
  if (!std::binary_search(known.begin(), known.end(), device)) return std::nullopt;
  return read_collective_profile(config::scalar(device), catalogue);
}

std::optional<NetworkProfile> network_profile_of(const Cluster& cluster) {
  if (!cluster.measured) return std::nullopt;
  return network_profile_at(*cluster.measured);
}

std::string describe(const std::optional<CollectiveProfile>& profile) {
  if (!profile) return "none: latency and bandwidth of the links by their data sheets";
  std::string text = fmt::format("{} ({}", profile->name,
                                 profile->measured ? "measured" : "not measured: of its family");
  if (!profile->software.empty()) text += ", " + profile->software;
  if (profile->held_out && profile->measured) {
    text += fmt::format("; held out of its fit: median error {:.1f} %, 95th percentile {:.1f} %",
                        100 * profile->held_out->median_abs_error,
                        100 * profile->held_out->p95_abs_error);
  }
  return text + ")";
}

std::string describe(const MeasuredNetwork* measured) {
  if (!measured) return {};
  return fmt::format(", times as measured over up to {} nodes; beyond them by a fit",
                     measured->most_nodes("all_reduce"));
}

}  // namespace pipewright
