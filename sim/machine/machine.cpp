#include "machine/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "config/catalogue.hpp"
#include "cost/profile_cost.hpp"
#include "cost/roofline.hpp"
#include "experiment/derived.hpp"
#include "experiment/hardware.hpp"
#include "machine/exchange_kernels.hpp"
#include "machine/machine_parts.hpp"
#include "machine/slow_parts.hpp"
#include "topology/host_route.hpp"

namespace pipewright {

namespace {

/// The part of the host memory's bandwidth that an optimizer in vector instructions reaches:
/// DeepSpeed's CPU-Adam takes 2.57 s for 10 billion parameters of a DGX-2 (ZeRO-Offload, arXiv
/// 2101.06840, table 4), which are 28 B each, read and written, over 256 GB/s.
constexpr double host_adam_fraction = 0.43;

/// Returns in words where the times of a device's kernels come from.
std::string describe(const CostModel& cost, const Device& device) {
  const auto* measured = dynamic_cast<const ProfileCost*>(&cost);
  if (!measured || measured->profile().gemm.empty())  // a profile of collectives alone
    return fmt::format("the data sheet of {}", device.name);
  const Profile& profile = measured->profile();
  std::string text = fmt::format("{} ({}", profile.name,
                                 profile.measured ? "measured" : "not measured: of its family");
  if (!profile.software.empty()) text += ", " + profile.software;
  for (const GemmProfile& products : profile.gemm) {
    if (products.held_out.empty() || !profile.measured) continue;
    const HeldOutError& error = products.held_out.front();
    return text + fmt::format(
                      "; products held out of its fit: median error {:.1f} %, 95th "
                      "percentile {:.1f} %)",
                      100 * error.median, 100 * error.p95);
  }
  return text + ")";
}

}  // namespace

DispatchKernels Machine::dispatch_kernels() const { return automatic_kernels(parts_->cluster); }

int Machine::device_count() const { return parts_->cluster.devices(); }

std::optional<Bytes> Machine::memory(std::span<const int32_t> devices) const {
  constexpr Bytes unbounded{std::numeric_limits<int64_t>::max()};
  Bytes least = unbounded;
  for (const int32_t number : devices)
    if (const Device* device = this->device(number)) least = std::min(least, device->memory);
  if (least == unbounded) return std::nullopt;
  return whole_bytes(static_cast<double>(least.count) * parts_->machine_factors.memory);
}

std::optional<Bandwidth> Machine::host_step_rate(std::span<const int32_t> devices) const {
  double least = std::numeric_limits<double>::infinity();
  for (const int32_t device : devices) {
    const int number = parts_->cluster.node_of[static_cast<size_t>(device)];
    const ClusterNode& node = parts_->cluster.nodes[static_cast<size_t>(number)];
    least = std::min(least, node.host_memory.bytes_per_s / node.devices);
  }
  if (std::isinf(least)) return std::nullopt;
  return Bandwidth{host_adam_fraction * least};
}

bool Machine::has_hosts(std::span<const int32_t> devices) const {
  return std::ranges::all_of(
      devices, [&](int32_t device) { return host_route(topology(), device).has_value(); });
}

const Device* Machine::device(int32_t number) const { return parts_->cluster.device(number); }

double Machine::price_per_hour(std::span<const int32_t> devices) const {
  return parts_->cluster.price_per_hour(devices);
}

Bytes Machine::on_chip(std::span<const int32_t> devices) const {
  Bytes least{std::numeric_limits<int64_t>::max()};
  for (const int32_t number : devices) {
    const Device* device = parts_->cluster.device(number);
    const bool is_fpga = device && device->kind == DeviceKind::fpga;
    least = std::min(least, is_fpga ? device->fpga.on_chip : Bytes{});
  }
  return least;
}

const Topology& Machine::topology() const { return parts_->cluster.topology; }

const Topology& Machine::links() const {
  const std::optional<Topology>& drawn = parts_->drawn_links;
  return drawn ? *drawn : topology();
}

double Machine::oversubscription() const { return parts_->cluster.oversubscription; }

std::vector<std::pair<std::string, std::string>> Machine::provenance() const {
  std::vector<std::pair<std::string, std::string>> provenance;
  for (size_t type = 0; parts_->prices_kernels && type < parts_->costs.size(); ++type) {
    provenance.emplace_back("kernels",
                            describe(*parts_->costs[type], parts_->cluster.device_types[type]));
  }
  if (parts_->expands_collectives)
    provenance.emplace_back("collectives", "none: message by message over the links' data sheets");
  for (const CollectiveProfile& profile : parts_->network.profiles().all())
    provenance.emplace_back(
        "collectives", describe(profile) + describe(parts_->network.measured(), parts_->cluster));
  return provenance;
}

namespace {

std::vector<std::unique_ptr<const CostModel>> read_costs(const Experiment& experiment,
                                                         const AskedProfile& asked,
                                                         Cluster& cluster,
                                                         const config::Catalogue& catalogue) {
  const FusedAttention attention = fused_attention(experiment);
  std::vector<std::unique_ptr<const CostModel>> costs;
  for (Device& device : cluster.device_types) {
    std::optional<Profile> profile;
    if (asked.named && stands_for(*asked.named, device)) {
      profile = asked.named;
    } else if (asked.measured) {
      profile = profile_of(device, catalogue);
    }
    if (profile) {
      // A device that is written out need not say what its profile knows.
      if (device.processors == 0) device.processors = profile->device.processors;
      costs.push_back(std::make_unique<ProfileCost>(*std::move(profile), attention));
    } else {
      RooflineConstants constants = roofline_constants();
      constants.attention = attention;
      costs.push_back(std::make_unique<Roofline>(constants));
    }
  }
  return costs;
}

/// The links that routes are drawn over; none where they are not drawn.
std::optional<Topology> drawn_links(const Experiment& experiment,
                                    const config::Catalogue& catalogue,
                                    const MachineFactors& factors) {
  const std::optional<Cluster> drawn = drawn_cluster_of(experiment, catalogue);
  if (!drawn) return std::nullopt;
  return changed(factors, narrowed(experiment.stragglers, drawn->topology));
}

}  // namespace

Machine read_machine(const Experiment& experiment, const config::Catalogue& catalogue,
                     const RunOptions& options) {
  Cluster cluster = cluster_of(experiment, catalogue);
  cluster.topology = narrowed(experiment.stragglers, cluster.topology);
  const Topology said = cluster.topology;
  const AskedProfile asked = asked_profile(experiment, cluster, catalogue);
  DeviceProfiles profiles;
  if (!options.expand_collectives) profiles = collective_profiles_of(cluster, catalogue, asked);
  cluster.topology = changed(options.machine_factors, said);
  std::optional<ChangedLinks> links;
  if (!profiles.all().empty() && options.machine_factors.links)
    links = ChangedLinks{AlphaBeta(said), AlphaBeta(cluster.topology)};
  CollectiveTimes network(links ? said : cluster.topology, std::move(profiles));
  if (const std::optional<NetworkProfile> known = network_profile_of(cluster)) {
    network.measured(*known);
  } else {
    network.expect_other_jobs();
    network.of_release(cluster.nccl);
  }
  if (std::optional<Exchange> exchange = exchange_of(experiment, cluster, catalogue))
    network.exchange_by(*std::move(exchange));
  std::vector<std::unique_ptr<const CostModel>> costs =
      read_costs(experiment, asked, cluster, catalogue);
  return Machine(std::make_shared<const Machine::Parts>(Machine::Parts{
      std::move(cluster), std::move(network), std::move(costs), !gives_times(experiment),
      options.expand_collectives, options.machine_factors, std::move(links),
      drawn_links(experiment, catalogue, options.machine_factors)}));
}

}  // namespace pipewright
