#include "estimate/pipeline_cuts.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace pipewright {
namespace {

std::vector<LayerTimes> running_sums(const std::vector<LayerTimes>& all) {
  std::vector<LayerTimes> sums{{}};
  for (const LayerTimes& times : all) {
    LayerTimes sum = sums.back();
    sum.forward += times.forward;
    sum.backward += times.backward;
    sum.input_gradient += times.input_gradient;
    sums.push_back(sum);
  }
  return sums;
}

/// Whether the gradients of weights have a pass of their own.
bool is_split(const PipelineShape& shape) {
  return shape.pipeline.plain && shape.pipeline.plain->ends_with_weights;
}

}  // namespace

std::vector<int32_t> devices_of(const LayerTable& table, const PipelineShape& shape, int rank) {
  std::vector<int32_t> devices(static_cast<size_t>(table.tensor * table.context * shape.data));
  const size_t first = devices.size() * static_cast<size_t>(rank);
  std::iota(devices.begin(), devices.end(), static_cast<int32_t>(first));
  if (!shape.devices.empty())
    std::ranges::copy(shape.devices.subspan(first, devices.size()), devices.begin());
  return devices;
}

PipelineCuts::PipelineCuts(const LayerTable& table) : table_(table) {
  for (const KindTimes& kind : table_.kinds) before_.push_back(running_sums(kind.times));
}

const PipelineCut& PipelineCuts::of(const PipelineShape& shape) {
  RankKinds kinds = rank_kinds(shape);
  std::unique_ptr<const PipelineCut>& kept =
      cuts_[{shape.ranks, shape.pipeline.chunks, shape.balanced, is_split(shape), kinds}];
  if (!kept) kept = std::make_unique<const PipelineCut>(cut(shape, kinds));
  return *kept;
}

PipelineCuts::RankKinds PipelineCuts::rank_kinds(const PipelineShape& shape) const {
  if (table_.kinds.size() == 1) return {};
  RankKinds kinds;
  for (int rank = 0; rank < shape.ranks; ++rank) {
    kinds.emplace_back();
    for (const int32_t device : devices_of(table_, shape, rank))
      kinds.back().insert(table_.prices.class_of(device));
  }
  for (const Kinds& of_rank : kinds)
    for (const int32_t kind : of_rank)
      if (const std::string& misfit = table_.kinds[static_cast<size_t>(kind)].misfit;
          !misfit.empty())
        table_.experiment.misfit("precision", misfit);
  return kinds;
}

/// Returns what balanced cuts weigh of a layer: see plan/layer_times.hpp.
Time PipelineCuts::cost_of(int layer, const Kinds& kinds) const {
  Time longest;
  for (const int32_t kind : kinds) {
    HostLoad all;
    for (const HostLoad& load : host_loads(layer, layer + 1, kind)) all += load;
    longest = std::max(longest, between(layer, layer + 1, kind).both +
                                    host_waits({&all, 1}, table_.prices.host).front());
  }
  return longest;
}

Partition PipelineCuts::partition(const PipelineShape& shape, const RankKinds& kinds) const {
  const int stages = shape.ranks * shape.pipeline.chunks;
  if (!shape.balanced) return even_partition(table_.layers, stages, {});
  const auto layers = static_cast<int>(table_.layers.size());
  std::vector<std::vector<Time>> costs(kinds.empty() ? 1 : static_cast<size_t>(stages));
  for (size_t stage = 0; stage < costs.size(); ++stage)
    for (int layer = 0; layer < layers; ++layer)
      costs[stage].push_back(
          cost_of(layer, kinds.empty() ? Kinds{0} : kinds[stage % kinds.size()]));
  return kinds.empty() ? balanced_partition(costs.front(), stages, {})
                       : balanced_partition(costs, {});
}

PipelineCut PipelineCuts::cut(const PipelineShape& shape, const RankKinds& kinds) const {
  const int stages = shape.ranks * shape.pipeline.chunks;
  const Kinds alike{0};
  PipelineCut cut{.partition = partition(shape, kinds), .stages = {}, .largest = {}};
  for (int k = 0; k < stages; ++k) {
    const Kinds& of_rank = kinds.empty() ? alike : kinds[static_cast<size_t>(k % shape.ranks)];
    cut.stages.push_back(stage_of(shape, cut.partition, k, of_rank));
    cut.largest = std::max(cut.largest, cut.stages.back().both);
  }
  return cut;
}

/// Returns the times of stage `k` with what it gathers of its neighbours' outputs, and with what
/// its passes wait for their host on the devices where that is most.
StageTimes PipelineCuts::stage_of(const PipelineShape& shape, const Partition& partition, int k,
                                  const Kinds& kinds) const {
  const int first = partition.starts[k], next = partition.starts[k + 1];
  const int32_t device = devices_of(table_, shape, k % shape.ranks).front();
  StageTimes stage = between(first, next, kinds);
  const bool receives = shape.ranks > 1 && k > 0;
  const bool sends = shape.ranks > 1 && k + 1 < partition.stages();
  const Time before = receives ? gather_before(first, device) : Time{};
  const Time behind = sends ? gather_before(next, device) : Time{};
  Time forward, backward, weight;
  for (const int32_t kind : kinds) {
    std::array<HostLoad, 3> loads = host_loads(first, next, kind);
    const Time starts = table_.prices.host.starts(static_cast<size_t>(table_.boundary.parts));
    if (before > Time{}) loads[0].add(before, starts);
    if (behind > Time{}) loads[1].add(behind, starts);
    if (!is_split(shape)) loads[1] += std::exchange(loads[2], {});
    const std::vector<Time> waits = host_waits(loads, table_.prices.host);
    forward = std::max(forward, waits[0]);
    backward = std::max(backward, waits[1] + waits[2]);
    weight = std::max(weight, waits[2]);
  }
  stage.both += before + behind + forward + backward;
  stage.backward += backward;
  stage.weight += weight;
  return stage;
}

/// Returns what forward, input gradients and weight gradients of layers take of their host.
std::array<HostLoad, 3> PipelineCuts::host_loads(int first, int end, int32_t kind) const {
  std::array<HostLoad, 3> loads;
  const std::vector<LayerTimes>& times = table_.kinds[static_cast<size_t>(kind)].times;
  for (int i = first; i < end; ++i) {
    const LayerTimes& layer = times[static_cast<size_t>(i)];
    loads[0] += layer.forward_host;
    loads[1] += layer.input_host;
    loads[2] += layer.weight_host;
  }
  return loads;
}

/// Returns the time to gather an output that has left its stage in parts, or its gradient, from
/// `device` and those after it.
Time PipelineCuts::gather_before(int layer, int32_t device) const {
  if (table_.boundary.parts == 1) return {};
  std::vector<int32_t> group(static_cast<size_t>(table_.boundary.parts));
  std::iota(group.begin(), group.end(), table_.kinds.size() == 1 ? 0 : device);
  return table_.prices.collective(CollectiveKind::all_gather, group,
                                  table_.layers[static_cast<size_t>(layer) - 1].output);
}

StageTimes PipelineCuts::between(int first, int end, const Kinds& kinds) const {
  StageTimes all = between(first, end, *kinds.begin());
  for (const int32_t kind : kinds) {
    const StageTimes one = between(first, end, kind);
    for (Time StageTimes::*slow :
         {&StageTimes::both, &StageTimes::certain, &StageTimes::backward, &StageTimes::weight})
      all.*slow = std::max(all.*slow, one.*slow);
    for (Time StageTimes::*quick : {&StageTimes::certain_forward, &StageTimes::certain_input})
      all.*quick = std::min(all.*quick, one.*quick);
  }
  return all;
}

StageTimes PipelineCuts::between(int first, int end, int32_t kind) const {
  if (first == end) return {};
  const auto number = static_cast<size_t>(kind);
  const std::vector<LayerTimes>& times = table_.kinds[number].times;
  const LayerTimes &a = before_[number][static_cast<size_t>(first)],
                   &b = before_[number][static_cast<size_t>(end)];
  const Time forward_tail = times[static_cast<size_t>(end) - 1].forward_tail;
  const Time backward_tail = times[static_cast<size_t>(first)].backward_tail;
  const Time both = b.both() - a.both();
  StageTimes stage{both,
                   both - forward_tail - backward_tail,
                   b.forward - a.forward - forward_tail,
                   std::max(b.input_gradient - a.input_gradient - backward_tail, Time{}),
                   b.backward - a.backward,
                   (b.backward - b.input_gradient) - (a.backward - a.input_gradient),
                   {}};
  for (int i = first; i < end; ++i) stage.stash += table_.layers[static_cast<size_t>(i)].stash;
  return stage;
}

}  // namespace pipewright
