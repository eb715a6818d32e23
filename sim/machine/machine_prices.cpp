// The prices of a machine: kernels by the cost models of its devices, messages and collectives by
// its network.
#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/required.hpp"
#include "cost/profile_cost.hpp"
#include "machine/anchor_factors.hpp"
#include "machine/host_times.hpp"
#include "machine/machine_parts.hpp"
#include "machine/slow_parts.hpp"
#include "machine/spread_times.hpp"
#include "network/collectives/collective.hpp"
#include "topology/host_route.hpp"
#include "workload/workload_options.hpp"

namespace pipewright {
namespace {

using Parts = std::shared_ptr<const Machine::Parts>;

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

Time scaled(Time time, double factor) {
  return factor == 1 ? time : seconds(in_seconds(time) * factor);
}

class MachineTimes final : public PriceSource {
 public:
  /// Blames `precision_at` where a device cannot compute in the precision of a kernel.
  MachineTimes(Parts parts, Where precision_at, const AnchorParts& factors)
      : parts_(std::move(parts)),
        precision_at_(std::move(precision_at)),
        kernel_factor_(factors[0]),
        network_factor_(factors[1]) {}

  Time compute(const Work& work, int32_t device) const override {
    if (work.kernel == Kernel::fixed) return work.fixed;
    const size_t type = parts_->type_of(device);
    const Time predicted = parts_->memo->of(work, static_cast<int>(type), [&] {
      try {
        return parts_->kernel_time(work, type);
      } catch (const InputError& error) {
        throw Misfit(precision_at_, error.message());
      }
    });
    return scaled(predicted, kernel_factor_);
  }

  Time transfer(int32_t from, int32_t to, Bytes bytes) const override {
    return scaled(parts_->network.transfer(from, to, bytes), factor(from, to, bytes));
  }

  Time collective(CollectiveKind kind, std::span<const int32_t> devices,
                  Bytes bytes) const override {
    if (parts_->expands_collectives)
      return scaled(expanded(parts_->cluster.topology, kind, devices, bytes), anchored(devices));
    return scaled(parts_->network.collective(kind, devices, bytes), factor(kind, devices, bytes));
  }

  Time host_copy(int32_t device, Bytes bytes) const override {
    const Route route = required(host_route(parts_->cluster.topology, device),
                                 "a device copies to a host that it has");
    return route.latency + bytes / route.bottleneck;
  }

  std::optional<double> transfer_moving(int32_t from, int32_t to, Bytes bytes) const override {
    const std::optional<double> moving = parts_->network.moving_s(from, to, bytes);
    if (!moving) return std::nullopt;
    return *moving * factor(from, to, bytes);
  }

  std::optional<double> collective_moving(CollectiveKind kind, std::span<const int32_t> devices,
                                          Bytes bytes) const override {
    const std::optional<double> moving = parts_->network.moving_s(kind, devices, bytes);
    if (!moving) return std::nullopt;
    return *moving * factor(kind, devices, bytes);
  }

 private:
  double anchored(std::span<const int32_t> devices) const {
    if (network_factor_ == 1) return 1;
    const bool leaves_node = std::ranges::any_of(devices, [&](int32_t device) {
      return parts_->cluster.topology.node(devices.front()) !=
             parts_->cluster.topology.node(device);
    });
    return leaves_node ? network_factor_ : 1;
  }
  double factor(int32_t from, int32_t to, Bytes bytes) const {
    return parts_->link_factor(from, to, bytes) * anchored(std::array{from, to});
  }
  double factor(CollectiveKind kind, std::span<const int32_t> devices, Bytes bytes) const {
    return parts_->link_factor(kind, devices, bytes) * anchored(devices);
  }

  Parts parts_;
  Where precision_at_;
  double kernel_factor_, network_factor_;
};

/// What NCCL's channels hold of the devices of a group: of unlike ones, the most that they hold of
/// one of them.
class ChannelLoad final : public DeviceLoad {
 public:
  explicit ChannelLoad(Parts parts) : parts_(std::move(parts)) {
    for (size_t type = 0; type < parts_->costs.size(); ++type)
      lost_beside_.push_back(parts_->lost_beside(type));
  }

  std::optional<double> processors_held(CollectiveKind kind, std::span<const int32_t> devices,
                                        Bytes bytes) const override {
    const std::optional<int> channels = parts_->network.channels(kind, devices, bytes);
    if (!channels) return std::nullopt;
    double most = 0;
    for (const int32_t device : devices) most = std::max(most, held(device, *channels));
    return most;
  }
  double memory_bandwidth(int32_t device) const override {
    return parts_->cluster.device(device)->memory_bandwidth.bytes_per_s;
  }

 private:
  double held(int32_t device, int channels) const {
    const int processors = parts_->cluster.device(device)->processors;
    if (processors == 0 || channels == 0) return 0;
    return static_cast<double>(channels) / processors + lost_beside_[parts_->type_of(device)];
  }

  Parts parts_;
  std::vector<double> lost_beside_;  ///< by device type
};

/// How sure measured profiles are of their kernels.
class ProfileTrust final : public KernelTrust {
 public:
  explicit ProfileTrust(Parts parts) : parts_(std::move(parts)) {}

  KernelUncertainty of(const Work& work, int32_t device) const override {
    const auto* cost =
        dynamic_cast<const ProfileCost*>(parts_->costs[parts_->type_of(device)].get());
    if (!cost || work.kernel == Kernel::fixed) return {};
    const ProfileCost::Trust known = cost->trust(work, *parts_->cluster.device(device));
    if (known.basis == Basis::datasheet) return {};
    const size_t kind =
        work.kernel == Kernel::attention ? error_kinds - 1 : static_cast<size_t>(work.dtype);
    return {kind, known.error, known.basis == Basis::extrapolated};
  }

 private:
  Parts parts_;
};

void add_trust(const Parts& parts, Prices& prices) {
  const auto is_measured = [](const auto& cost) {
    return dynamic_cast<const ProfileCost*>(cost.get()) != nullptr;
  };
  if (!parts->prices_kernels || std::ranges::none_of(parts->costs, is_measured)) return;
  prices.kernel_trust = std::make_shared<const ProfileTrust>(parts);
}

}  // namespace

Prices Machine::prices(const Experiment& e) const {
  const Cluster& cluster = parts_->cluster;
  Prices prices;
  const AnchorParts factors = anchor_factors(e, cluster);
  prices.source = std::make_shared<const MachineTimes>(
      parts_, e.where(e.gives("precision") ? "precision" : "cluster"), factors);
  if (const Spreading spreading = spreading_of(e.network); spreading.how != Spreading::How::first)
    prices.source = std::make_shared<const SpreadTimes>(
        std::move(prices.source), SpreadLinks{cluster.topology, links()}, spreading);
  add_trust(parts_, prices);
  if (!parts_->network.profiles().all().empty())
    prices.device_load = std::make_shared<const ChannelLoad>(parts_);
  prices.device_class.assign(cluster.type_of.begin(), cluster.type_of.end());
  const auto is_gpu = [](const Device& type) { return type.kind == DeviceKind::gpu; };
  if (std::ranges::any_of(cluster.device_types, is_gpu))
    prices.host = times(host_times(e), factors[2]);
  prices.slowdown = slowdowns(e.stragglers, cluster);
  if (const MeasuredNetwork* measured = parts_->network.measured())
    prices.measured_nodes = measured->most_nodes("all_reduce");
  return prices;
}

}  // namespace pipewright
