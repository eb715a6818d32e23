#include "study/machine.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "config/catalogue.hpp"
#include "cost/roofline.hpp"
#include "network/nccl/model.hpp"
#include "study/collective_profile.hpp"
#include "topology/cluster.hpp"

namespace pipewright {

struct Machine::Parts {
  Cluster cluster;
  CollectiveTimes network;
  Roofline cost;
};

int Machine::device_count() const { return parts_->cluster.devices(); }

void Machine::require_devices(const Experiment& e) const {
  const int64_t needed =
      int64_t{e.parallel.tensor} * e.parallel.context * e.parallel.pipeline * e.parallel.data;
  if (needed > device_count()) {
    e.at("cluster").misfit(
        fmt::format("the cluster has {} devices, but {} are needed", device_count(), needed));
  }
}

std::optional<Bytes> Machine::device_memory() const {
  const std::vector<Device>& types = parts_->cluster.device_types;
  if (types.empty()) return std::nullopt;
  const auto less = [](const Device& a, const Device& b) { return a.memory < b.memory; };
  const Bytes least = std::min_element(types.begin(), types.end(), less)->memory;
  if (least.count == std::numeric_limits<int64_t>::max()) return std::nullopt;
  return least;
}

const Device* Machine::device() const { return parts_->cluster.device(0); }
const Topology& Machine::topology() const { return parts_->cluster.topology; }

std::vector<std::pair<std::string, std::string>> Machine::provenance() const {
  if (!parts_->network.profile()) return {};
  return {{"collectives", describe(parts_->network.profile())}};
}

Prices Machine::prices(const Experiment& e) const {
  Prices prices;
  prices.compute = [parts = parts_](const Work& work, int32_t number) {
    if (work.kernel == Kernel::fixed) return work.fixed;
    return parts->cost.duration(work, *parts->cluster.device(number));
  };
  prices.transfer = [parts = parts_](int32_t from, int32_t to, Bytes bytes) {
    return parts->network.transfer(from, to, bytes);
  };
  prices.collective = [parts = parts_](CollectiveKind kind, std::span<const int32_t> devices,
                                       Bytes bytes) {
    return parts->network.collective(kind, devices, bytes);
  };
  if (parts_->network.profile()) {
    prices.transfer_moving = [parts = parts_](int32_t from, int32_t to, Bytes bytes) {
      return parts->network.moving_s(from, to, bytes);
    };
    prices.collective_moving = [parts = parts_](CollectiveKind kind,
                                                std::span<const int32_t> devices, Bytes bytes) {
      return parts->network.moving_s(kind, devices, bytes);
    };
  }
  prices.device_class.assign(parts_->cluster.type_of.begin(), parts_->cluster.type_of.end());
  prices.slowdown = slowdowns(e.stragglers, parts_->cluster);
  return prices;
}

Machine read_machine(const Experiment& experiment, const config::Catalogue& catalogue) {
  Cluster cluster = read_cluster(experiment.at("cluster"), catalogue);
  const bool given_times = experiment.synthetic || !experiment.has_schedule();
  if (!given_times && cluster.device_types.empty())
    experiment.at("cluster").fail("the cluster must say which devices it has: device or node");
  cluster.topology = narrowed(experiment.stragglers, cluster.topology);
  CollectiveTimes network(cluster.topology, collective_profile_of(cluster, catalogue));
  return Machine(std::make_shared<const Machine::Parts>(
      Machine::Parts{std::move(cluster), std::move(network), Roofline{}}));
}

}  // namespace pipewright
