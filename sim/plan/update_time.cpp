#include "plan/update_time.hpp"

#include <algorithm>

namespace pipewright {
namespace {

Time time_of(const CollectiveWork& work, const Prices& prices, const Holders& holders) {
  const std::vector<int32_t>& group =
      work.axis == Axis::expert_copies ? holders.experts : holders.weights;
  if (group.size() < 2 || work.bytes == Bytes{}) return {};
  return prices.collective(work.kind, group, work.bytes);
}

}  // namespace

Holders holders(const Mesh& mesh, int32_t first) {
  Holders all;
  const int devices = mesh.tensor * mesh.site_replicas();
  for (int k = 0; k < devices; k += mesh.tensor) all.weights.push_back(first + k);
  for (int k = 0; k < devices && mesh.expert > 1; k += mesh.expert)
    all.experts.push_back(first + k);
  return all;
}

Holders holders(const Mesh& mesh) {
  Holders all = holders(mesh, 0);
  for (std::vector<int32_t>* group : {&all.weights, &all.experts})
    for (int32_t& device : *group) device = mesh.devices[static_cast<size_t>(device)];
  return all;
}

Holders sharers(const Mesh& mesh) {
  Holders all = holders(mesh);
  const auto keep = [](std::vector<int32_t>& devices, int count) {
    devices.resize(std::min(devices.size(), static_cast<size_t>(count)));
  };
  keep(all.weights, mesh.shard);
  keep(all.experts, mesh.shard * mesh.tensor / mesh.expert);
  return all;
}

Time exposed_reductions(const UpdateWork& update, const Prices& prices, const Holders& holders,
                        Time last) {
  const auto buckets = static_cast<int64_t>(update.reduce.size());
  Time end;
  for (size_t k = 0; k < update.reduce.size(); ++k) {
    const Time full{last.ps / buckets * (static_cast<int64_t>(k) + 1)};
    end = std::max(end, full) + time_of(update.reduce[k], prices, holders);
    if (!update.reduce_experts.empty()) end += time_of(update.reduce_experts[k], prices, holders);
  }
  return std::max(Time{}, end - last);
}

namespace {

/// The time of one kind of collective over all parts of a stage, and that over its first part,
/// which a backward pass comes to last.
struct PartTimes {
  Time all, first;
};

PartTimes part_times(CollectiveKind kind, const std::vector<Bytes>& shared,
                     const std::vector<Bytes>& experts, const Prices& prices,
                     const Holders& holders) {
  PartTimes times;
  for (size_t part = shared.size(); part-- > 0;) {
    times.first = time_of({kind, Axis::data, shared[part]}, prices, holders) +
                  time_of({kind, Axis::expert_copies, experts[part]}, prices, holders);
    times.all += times.first;
  }
  return times;
}

PartTimes scatters_of(const ShardedWeights::Stage& stage, const Prices& prices,
                      const Holders& holders) {
  return part_times(CollectiveKind::reduce_scatter, stage.gradients, stage.expert_gradients, prices,
                    holders);
}

}  // namespace

Time exposed_scatters(const ShardedWeights::Stage& stage, const Prices& prices,
                      const Holders& holders, Time both, int64_t passes) {
  const PartTimes scatters = scatters_of(stage, prices, holders);
  return passes * std::max(scatters.first, scatters.all - both);
}

Time exposed_sharding(const ShardedWeights::Stage& stage, bool reshard, const Prices& prices,
                      const Holders& holders, const StagePasses& passes) {
  const Time gathers =
      part_times(CollectiveKind::all_gather, stage.weights, stage.experts, prices, holders).all;
  const PartTimes scatters = scatters_of(stage, prices, holders);
  const Time again = reshard ? gathers : Time{};
  const Time forward = std::max(Time{}, gathers - passes.forward);
  const Time backward = std::max(scatters.first, again + scatters.all - passes.backward);
  return passes.count * (forward + backward);
}

Time step_time(const UpdateWork& update, const Prices& prices, const Holders& holders) {
  Time time;
  for (const Work& work : update.kernels) time += prices.compute(work, holders.weights.front());
  for (const CollectiveWork& work : update.gather) time += time_of(work, prices, holders);
  return time;
}

}  // namespace pipewright
