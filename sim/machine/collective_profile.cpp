#include "machine/collective_profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "config/catalogue.hpp"
#include "experiment/hardware.hpp"
#include "network/nccl/model.hpp"
#include "network/nccl/modelled_profile.hpp"
#include "network/nccl/operations.hpp"
#include "topology/between_nodes.hpp"

namespace pipewright {
namespace {

/// The first node that has a device of a type; nullptr where all of them stand for themselves.
const ClusterNode* node_with(const Cluster& cluster, size_t type) {
  const auto has = [&](const ClusterNode& node) {
    return node.type != "device" &&
           cluster.type_of[static_cast<size_t>(node.first_device)] == static_cast<int>(type);
  };
  const auto found = std::ranges::find_if(cluster.nodes, has);
  return found == cluster.nodes.end() ? nullptr : &*found;
}

/// The collectives of a device type that nobody measured: over NVLink as another of its generation
/// was measured, else NCCL's own model; nothing where the type does not say how NCCL sees it.
std::optional<CollectiveProfile> taken_over(const Cluster& cluster, size_t type,
                                            const config::Catalogue& catalogue) {
  const Device& device = cluster.device_types[type];
  const ClusterNode* node = node_with(cluster, type);
  if (device.nccl.empty() || !node) return std::nullopt;
  const bool nvlink = request_on(cluster.topology, std::array{node->first_device}).nvlink;
  return unmeasured_profile(device.name, device.nccl, nvlink, catalogue);
}

}  // namespace

DeviceProfiles collective_profiles_of(const Cluster& cluster, const config::Catalogue& catalogue) {
  return collective_profiles_of(cluster, catalogue, {});
}

DeviceProfiles collective_profiles_of(const Cluster& cluster, const config::Catalogue& catalogue,
                                      const AskedProfile& asked) {
  const std::vector<std::string> known = catalogue.names("profiles");
  std::vector<CollectiveProfile> profiles;
  std::vector<int> of_type;
  for (size_t i = 0; i < cluster.device_types.size(); ++i) {
    const Device& type = cluster.device_types[i];
    of_type.push_back(DeviceProfiles::unknown);
    std::optional<CollectiveProfile> profile;
    if (asked.collectives && asked.named && stands_for(*asked.named, type))
      profile = asked.collectives;
    if (!profile && std::ranges::binary_search(known, type.name))
      profile = read_collective_profile(config::scalar(type.name), catalogue);
    if (!profile) profile = taken_over(cluster, i, catalogue);
    if (profile) {
      of_type.back() = static_cast<int>(profiles.size());
      profiles.push_back(*std::move(profile));
    }
  }
  if (profiles.empty()) return {};
  std::vector<int> of_device(cluster.type_of.size(), DeviceProfiles::unknown);
  for (const ClusterNode& node : cluster.nodes) {
    if (node.type == "device") continue;
    for (int device = node.first_device; device < node.first_device + node.devices; ++device) {
      const auto number = static_cast<size_t>(device);
      of_device[number] = of_type[static_cast<size_t>(cluster.type_of[number])];
    }
  }
  return {std::move(profiles), std::move(of_device), cluster.node_of};
}

std::optional<NetworkProfile> network_profile_of(const Cluster& cluster) {
  if (!cluster.measured) return std::nullopt;
  return network_profile_at(*cluster.measured);
}

std::string describe(const CollectiveProfile& profile) {
  if (profile.modelled) {
    return fmt::format(
        "{} (not measured: between nodes NCCL's model of itself, tuning {}, and the share of the "
        "NICs that their kind reaches; within a node the links' data sheets)",
        profile.name, profile.tuning.name);
  }
  std::string text = fmt::format("{} ({}", profile.name,
                                 profile.measured ? "measured" : "not measured: of its family");
  if (!profile.software.empty()) text += ", " + profile.software;
  if (profile.held_out && profile.measured) {
    text += fmt::format("; held out of its fit: median error {:.1f} %, 95th percentile {:.1f} %",
                        100 * profile.held_out->median_abs_error,
                        100 * profile.held_out->p95_abs_error);
  }
  return text + ")";
}

std::string describe(const GroupProfiles& profiles) {
  if (profiles.empty()) return "none: latency and bandwidth of the links by their data sheets";
  std::string text;
  for (const CollectiveProfile* profile : profiles)
    text += (text.empty() ? "" : " and ") + describe(*profile);
  return text;
}

namespace {

/// Tells whether NCCL sends over links of this kind through that of its networks.
bool is_of(std::string_view transport, LinkKind kind) {
  constexpr LinkKind by_verbs[] = {LinkKind::infiniband, LinkKind::infiniband_sharp,
                                   LinkKind::roce};
  constexpr LinkKind by_libfabric[] = {LinkKind::efa_1, LinkKind::efa, LinkKind::efa_3,
                                       LinkKind::slingshot};
  if (transport.starts_with("IB")) return std::ranges::find(by_verbs, kind) != std::end(by_verbs);
  if (transport.find("ibfabric") != std::string_view::npos)
    return std::ranges::find(by_libfabric, kind) != std::end(by_libfabric);
  return transport != "Socket" || kind == LinkKind::ethernet;
}

/// Says which operations were not measured, and whose factor they have.
std::string borrowed(const MeasuredNetwork& measured) {
  std::map<std::string_view, std::string> names;
  for (const NcclOperation& operation : nccl_operations()) {
    const std::string_view source = measured.stand_in(operation.name);
    if (source == operation.name) continue;
    std::string& text = names[source];
    text += fmt::format("{}{}", text.empty() ? "" : ", ", operation.name);
  }
  std::string text;
  for (const auto& [source, borrowers] : names)
    text += fmt::format("; not measured: {}, which have the factor of {}", borrowers, source);
  return text;
}

}  // namespace

std::string describe(const MeasuredNetwork* measured, const Cluster& cluster,
                     std::string_view operation) {
  if (!measured || cluster.nodes.size() < 2) return {};
  if (measured->is_empty())
    return "; what was measured on the network is of more nodes or ranks a node, and says nothing";
  const std::string_view source = measured->stand_in(operation);
  const std::string as = source == operation || operation.empty()
                             ? "as measured"
                             : fmt::format("by the factor that was measured of {}", source);
  std::string text =
      fmt::format(", times {} over up to {} nodes of {} ranks; beyond them by a fit", as,
                  measured->most_nodes(operation.empty() ? "all_reduce" : operation),
                  measured->most_ranks_per_node());
  if (operation.empty()) text += borrowed(*measured);
  if (measured->outruns_links())
    text += "; it is of a network with faster links: no time is below what these links allow";
  int most = 0;
  for (const ClusterNode& node : cluster.nodes) most = std::max(most, node.devices);
  if (most > measured->most_ranks_per_node())
    text += fmt::format("; nodes have {} devices here, whose NICs {} ranks may not have filled",
                        most, measured->most_ranks_per_node());
  const LinkKind kind = kind_between_nodes(cluster.topology);
  if (!measured->transport().empty() && kind != LinkKind::other &&
      !is_of(measured->transport(), kind))
    text += fmt::format("; measured over NCCL's network '{}', which {} links are not",
                        measured->transport(), name(kind));
  return text;
}

}  // namespace pipewright
