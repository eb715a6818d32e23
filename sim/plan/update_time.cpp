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

Time exposed_scatters(const ShardedWeights::Stage& stage, const Prices& prices,
                      const Holders& holders, Time both, int64_t passes) {
  Time all, last;
  for (size_t part = stage.gradients.size(); part-- > 0;) {
    last =
        time_of({CollectiveKind::reduce_scatter, Axis::data, stage.gradients[part]}, prices,
                holders) +
        time_of({CollectiveKind::reduce_scatter, Axis::expert_copies, stage.expert_gradients[part]},
                prices, holders);
    all += last;
  }
  return passes * std::max(last, all - both);
}

Time step_time(const UpdateWork& update, const Prices& prices, const Holders& holders) {
  Time time;
  for (const Work& work : update.kernels) time += prices.compute(work, holders.weights.front());
  for (const CollectiveWork& work : update.gather) time += time_of(work, prices, holders);
  return time;
}

}  // namespace pipewright
