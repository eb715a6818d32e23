#include "machine/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "config/catalogue.hpp"
#include "cost/kernel_memo.hpp"
#include "cost/profile_cost.hpp"
#include "cost/roofline.hpp"
#include "experiment/derived.hpp"
#include "machine/collective_profile.hpp"
#include "machine/slow_parts.hpp"
#include "network/alpha_beta.hpp"
#include "network/collectives/collective.hpp"
#include "network/nccl/model.hpp"
#include "topology/cluster/cluster.hpp"
#include "topology/host_route.hpp"
#include "workload/workload_options.hpp"

namespace pipewright {

namespace {

/// Half the errors are below the median of normal ones, which is so many standard deviations.
constexpr double median_of_normal = 0.674;

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

/// Message by message, by the first of these that can: rings for what has to be summed or gathered,
/// every pair by itself, pieces along a chain.
Time expanded(const Topology& topology, CollectiveKind kind, std::span<const int32_t> devices,
              Bytes bytes) {
  if (devices.size() < 2) return {};
  const collective::Members members = collective::members_on(topology, devices);
  for (const std::string_view name : {"ring", "pairwise", "chain"}) {
    for (const collective::Algorithm* one : collective::algorithms())
      if (one->name == name && one->serves(kind, members))
        return collective::expanded_time(topology, members, one->rounds(kind, members, bytes));
  }
  ensure(false, "every collective has an algorithm");
  return {};
}

/// Rescales what was measured by as much as a roofline grows or shrinks on the changed device.
Time rescaled(Time measured, const MachineFactors& machine_factors, const Work& work,
              const Device& device) {
  const Roofline roofline;
  const Time before = roofline.duration(work, device);
  if (before.ps == 0) return measured;
  const Time after = roofline.duration(work, changed(machine_factors, device));
  return seconds(in_seconds(measured) * in_seconds(after) / in_seconds(before));
}

}  // namespace

/// Links as they are said to be and as they are asked for: measured transfers and collectives
/// change as those of the alpha-beta model do.
struct ChangedLinks {
  AlphaBeta before, after;

  double factor(int32_t from, int32_t to, Bytes bytes) const {
    return ratio(after.transfer(from, to, bytes), before.transfer(from, to, bytes));
  }
  double factor(CollectiveKind kind, std::span<const int32_t> devices, Bytes bytes) const {
    return ratio(after.collective(kind, devices, bytes), before.collective(kind, devices, bytes));
  }
  static double ratio(Time now, Time then) {
    return then.ps > 0 ? in_seconds(now) / in_seconds(then) : 1;
  }
};

struct Machine::Parts {
  Cluster cluster;
  CollectiveTimes network;
  std::vector<std::unique_ptr<const CostModel>> costs;  // by device type
  bool prices_kernels;                                  // the experiment does not give their times
  bool expands_collectives;
  MachineFactors machine_factors;
  std::optional<ChangedLinks> changed_links;  // where times over them are measured
  std::unique_ptr<KernelMemo> memo = std::make_unique<KernelMemo>();  // of kernel_time()

  template <class... What>
  double link_factor(const What&... what) const {
    return changed_links ? changed_links->factor(what...) : 1;
  }
  Time over_links(Time time, double factor) const {
    return factor == 1 ? time : seconds(in_seconds(time) * factor);
  }
  /// Returns what a calibration saw products lose beside moving bytes, for which there is no other
  /// cause.
  double lost_beside() const {
    const auto* cost = dynamic_cast<const ProfileCost*>(costs.front().get());
    if (!cost || !cost->profile().conditions) return 0;
    const Device& device = cost->profile().device;
    return cost->profile().conditions->lost_beside(device.memory_bandwidth.bytes_per_s,
                                                   device.processors);
  }
  Time kernel_time(const Work& work, size_t type) const {
    const Device& device = cluster.device_types[type];
    const Time time = costs[type]->duration(work, device);
    return machine_factors.changes_devices() ? rescaled(time, machine_factors, work, device) : time;
  }
};

int Machine::device_count() const { return parts_->cluster.devices(); }

std::optional<Bytes> Machine::device_memory() const {
  const std::vector<Device>& types = parts_->cluster.device_types;
  if (types.empty()) return std::nullopt;
  const auto less = [](const Device& a, const Device& b) { return a.memory < b.memory; };
  const Bytes least = std::min_element(types.begin(), types.end(), less)->memory;
  if (least.count == std::numeric_limits<int64_t>::max()) return std::nullopt;
  return whole_bytes(static_cast<double>(least.count) * parts_->machine_factors.memory);
}

std::optional<Bandwidth> Machine::host_step_rate() const {
  double least = std::numeric_limits<double>::infinity();
  for (const ClusterNode& node : parts_->cluster.nodes)
    least = std::min(least, node.host_memory.bytes_per_s / node.devices);
  if (std::isinf(least)) return std::nullopt;
  return Bandwidth{host_adam_fraction * least};
}

bool Machine::has_hosts() const {
  for (const ClusterNode& node : parts_->cluster.nodes)
    if (!host_route(topology(), node.first_device)) return false;
  return true;
}

const Device* Machine::device() const { return parts_->cluster.device(0); }

Bytes Machine::on_chip(std::span<const int32_t> devices) const {
  Bytes least{std::numeric_limits<int64_t>::max()};
  for (const int32_t number : devices) {
    const Device* device = parts_->cluster.device(number);
    const bool is_fpga = device && device->kind == DeviceKind::fpga;
    least = std::min(least, is_fpga ? device->on_chip : Bytes{});
  }
  return least;
}

const Topology& Machine::topology() const { return parts_->cluster.topology; }

std::vector<std::pair<std::string, std::string>> Machine::provenance() const {
  std::vector<std::pair<std::string, std::string>> provenance;
  for (size_t type = 0; parts_->prices_kernels && type < parts_->costs.size(); ++type) {
    provenance.emplace_back("kernels",
                            describe(*parts_->costs[type], parts_->cluster.device_types[type]));
  }
  if (parts_->expands_collectives)
    provenance.emplace_back("collectives", "none: message by message over the links' data sheets");
  else if (parts_->network.profile())
    provenance.emplace_back("collectives", describe(parts_->network.profile()));
  return provenance;
}

/// Adds what collectives hold of a device. It is called where all devices are of one kind whose
/// processors are counted, as a profile of collectives wants it.
void Machine::add_device_sharing(Prices& prices) const {
  const Device& device = *parts_->cluster.device(0);
  if (device.processors == 0) return;
  const double lost = parts_->lost_beside();
  prices.processors_held = [parts = parts_, all = device.processors, lost](
                               CollectiveKind kind, std::span<const int32_t> devices, Bytes bytes) {
    const int channels = parts->network.channels(kind, devices, bytes);
    return static_cast<double>(channels) / all + (channels > 0 ? lost : 0);
  };
  prices.memory_bandwidth = [parts = parts_](int32_t number) {
    return parts->cluster.device(number)->memory_bandwidth.bytes_per_s;
  };
}

void Machine::add_kernel_uncertainty(Prices& prices) const {
  const auto& costs = parts_->costs;
  const bool measured = std::any_of(costs.begin(), costs.end(), [](const auto& cost) {
    return dynamic_cast<const ProfileCost*>(cost.get());
  });
  if (!measured || !parts_->prices_kernels) return;
  prices.kernel_uncertainty = [parts = parts_](const Work& work,
                                               int32_t number) -> KernelUncertainty {
    const auto type = static_cast<size_t>(parts->cluster.type_of[static_cast<size_t>(number)]);
    const auto* cost = dynamic_cast<const ProfileCost*>(parts->costs[type].get());
    if (!cost || work.kernel == Kernel::fixed) return {};
    const ProfileCost::Trust known = cost->trust(work, *parts->cluster.device(number));
    if (known.basis == Basis::datasheet) return {};
    const size_t kind =
        work.kernel == Kernel::attention ? error_kinds - 1 : static_cast<size_t>(work.dtype);
    return {kind, known.error, known.basis == Basis::extrapolated};
  };
  if (const auto& profile = parts_->network.profile(); profile && profile->held_out)
    prices.network_error = profile->held_out->median_abs_error / median_of_normal;
}

Prices Machine::prices(const Experiment& e) const {
  Prices prices;
  const Where named_at = e.where(e.gives("precision") ? "precision" : "cluster");
  prices.compute = [parts = parts_, named_at](const Work& work, int32_t number) {
    if (work.kernel == Kernel::fixed) return work.fixed;
    const auto type = static_cast<size_t>(parts->cluster.type_of[static_cast<size_t>(number)]);
    return parts->memo->of(work, static_cast<int>(type), [&] {
      try {
        return parts->kernel_time(work, type);
      } catch (const InputError& error) {  // the device cannot compute in this precision
        throw Misfit(named_at, error.message());
      }
    });
  };
  add_kernel_uncertainty(prices);
  prices.transfer = [parts = parts_](int32_t from, int32_t to, Bytes bytes) {
    return parts->over_links(parts->network.transfer(from, to, bytes),
                             parts->link_factor(from, to, bytes));
  };
  prices.collective = [parts = parts_](CollectiveKind kind, std::span<const int32_t> devices,
                                       Bytes bytes) {
    if (parts->expands_collectives) return expanded(parts->cluster.topology, kind, devices, bytes);
    return parts->over_links(parts->network.collective(kind, devices, bytes),
                             parts->link_factor(kind, devices, bytes));
  };
  prices.host_copy = [parts = parts_](int32_t device, Bytes bytes) {
    const std::optional<Route> route = host_route(parts->cluster.topology, device);
    ensure(route.has_value(), "a device copies to a host that it has");
    return route->latency + bytes / route->bottleneck;
  };
  if (parts_->network.profile()) {
    prices.transfer_moving = [parts = parts_](int32_t from, int32_t to, Bytes bytes) {
      return parts->network.moving_s(from, to, bytes) * parts->link_factor(from, to, bytes);
    };
    prices.collective_moving = [parts = parts_](CollectiveKind kind,
                                                std::span<const int32_t> devices, Bytes bytes) {
      return parts->network.moving_s(kind, devices, bytes) *
             parts->link_factor(kind, devices, bytes);
    };
    add_device_sharing(prices);
  }
  prices.device_class.assign(parts_->cluster.type_of.begin(), parts_->cluster.type_of.end());
  if (const Device* device = parts_->cluster.device(0); device && device->kind == DeviceKind::gpu) {
    prices.host_launch = eager_launch;
    prices.host_repeat = repeated_launch;
    prices.host_waits = e.launches == Launches::blocking;
  }
  prices.slowdown = slowdowns(e.stragglers, parts_->cluster);
  return prices;
}

namespace {

bool stands_for(const Profile& profile, const Device& device) {
  return profile.name == device.name || device.name.starts_with(profile.device.name);
}

/// The profile that the experiment names; empty for `auto` and `datasheet`.
std::optional<Profile> named_profile(const Experiment& experiment, const Cluster& cluster,
                                     const config::Catalogue& catalogue) {
  const config::Value* value = experiment.document.find("profile");
  if (!value || value->text == "auto" || value->text == "datasheet") return std::nullopt;
  Profile profile = read_profile(catalogue.resolve("profiles", *value), catalogue);
  const bool fits = std::any_of(cluster.device_types.begin(), cluster.device_types.end(),
                                [&](const Device& d) { return stands_for(profile, d); });
  if (!fits && !cluster.device_types.empty()) {
    value->fail(fmt::format("the profile is of '{}', which the cluster does not have: it has '{}'",
                            profile.device.name, cluster.device_types.front().name));
  }
  return profile;
}

std::vector<std::unique_ptr<const CostModel>> read_costs(const Experiment& experiment,
                                                         Cluster& cluster,
                                                         const config::Catalogue& catalogue) {
  const config::Value* value = experiment.document.find("profile");
  const bool measured = !value || value->text != "datasheet";
  const std::optional<Profile> named = named_profile(experiment, cluster, catalogue);
  const FusedAttention attention = fused_attention(experiment);
  std::vector<std::unique_ptr<const CostModel>> costs;
  for (Device& device : cluster.device_types) {
    std::optional<Profile> profile;
    if (named && stands_for(*named, device)) {
      profile = named;
    } else if (measured && !named) {
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

}  // namespace

Machine read_machine(const Experiment& experiment, const config::Catalogue& catalogue,
                     const RunOptions& options) {
  Cluster cluster = read_cluster(experiment.at("cluster"), catalogue);
  const bool given_times = experiment.synthetic || !experiment.has_schedule();
  if (!given_times && cluster.device_types.empty())
    experiment.at("cluster").lacks("the cluster must say which devices it has: device or node");
  cluster.topology = narrowed(experiment.stragglers, cluster.topology);
  const Topology said = cluster.topology;
  std::optional<CollectiveProfile> profile;
  if (!options.expand_collectives) profile = collective_profile_of(cluster, catalogue);
  cluster.topology = changed(options.machine_factors, said);
  std::optional<ChangedLinks> links;
  if (profile && options.machine_factors.links)
    links = ChangedLinks{AlphaBeta(said), AlphaBeta(cluster.topology)};
  CollectiveTimes network(links ? said : cluster.topology, std::move(profile));
  std::vector<std::unique_ptr<const CostModel>> costs = read_costs(experiment, cluster, catalogue);
  return Machine(std::make_shared<const Machine::Parts>(
      Machine::Parts{std::move(cluster), std::move(network), std::move(costs), !given_times,
                     options.expand_collectives, options.machine_factors, std::move(links)}));
}

}  // namespace pipewright
