#include "experiment/hardware.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "config/catalogue.hpp"
#include "config/emit.hpp"

namespace pipewright {

bool gives_times(const Experiment& experiment) {
  return experiment.synthetic || !experiment.has_schedule();
}

Cluster cluster_of(const Experiment& experiment, const config::Catalogue& catalogue) {
  const config::Value& value = experiment.at("cluster");
  Cluster cluster = read_cluster(value, catalogue);
  if (!gives_times(experiment) && cluster.device_types.empty())
    value.lacks(
        "the cluster must say which devices it has: 'node' or 'device', and a node its 'device'");
  return cluster;
}

bool stands_for(const Profile& profile, const Device& device) {
  return profile.name == device.name || device.name.starts_with(profile.device.name);
}

AskedProfile asked_profile(const Experiment& experiment, const Cluster& cluster,
                           const config::Catalogue& catalogue) {
  const config::Value* value = experiment.document.find("profile");
  if (!value || value->text == "auto") return {};
  if (value->text == "datasheet") return {.named = {}, .collectives = {}, .measured = false};
  Profile profile = read_profile(catalogue.resolve("profiles", *value), catalogue);
  const bool fits = std::any_of(cluster.device_types.begin(), cluster.device_types.end(),
                                [&](const Device& d) { return stands_for(profile, d); });
  if (!fits && !cluster.device_types.empty()) {
    value->fail(fmt::format("the profile is of '{}', which the cluster does not have: it has '{}'",
                            profile.device.name, cluster.device_types.front().name));
  }
  std::optional<CollectiveProfile> collectives = read_collective_profile(*value, catalogue);
  if (collectives && value->is_scalar()) collectives->name = value->text;
  return {.named = std::move(profile), .collectives = std::move(collectives), .measured = false};
}

bool has_mxfp8(const Device& device) {
  return device.peak_at(DType::nvfp4) || device.name.starts_with("mi35") ||
         !device.peak_at(DType::fp8);
}

bool has_drawn_routes(const Experiment& experiment) {
  const NetworkOptions& network = experiment.network;
  const bool sprays = network.kind == NetworkKind::packet && network.packet.spray;
  return sprays || network.flow.spreading.draws();
}

std::optional<Cluster> drawn_cluster_of(const Experiment& experiment,
                                        const config::Catalogue& catalogue) {
  if (!has_drawn_routes(experiment)) return std::nullopt;
  Experiment separate = experiment;
  separate.document.set("cluster", with_separate_spines(experiment.at("cluster"), catalogue));
  return cluster_of(separate, catalogue);
}

std::string hardware_text(const Experiment& experiment) {
  std::string text;
  for (const char* name : {"cluster", "profile", "stragglers"}) {
    text += '\n';
    if (const config::Value* value = experiment.document.find(name))
      text += config::to_yaml(*value);
  }
  return text;
}

}  // namespace pipewright
