#include "estimate/closed_form.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <set>

#include "plan/update_time.hpp"

namespace pipewright {

Time exposed_hops(int stages, int64_t slots, int64_t ahead, Time largest, Time hop) {
  const double trip = 2.0 * (stages - 1) * in_seconds(hop);
  const double hidden = static_cast<double>(ahead - stages) * in_seconds(largest);
  const double rounds = static_cast<double>(slots) / static_cast<double>(ahead);
  return seconds(trip + (rounds - 1) * std::clamp(trip - hidden, 0.0, trip));
}

PipelineForms::PipelineForms(LayerTable table) : table_(std::move(table)), cuts_(table_) {}

ClosedForm PipelineForms::of(const PipelineShape& shape) {
  const std::lock_guard lock(mutex_);
  const PipelineCut& cut = cuts_.of(shape);
  Replicated& known = replicated_[{&cut,
                                   shape.data,
                                   shape.zero,
                                   shape.micro_batches,
                                   {shape.devices.begin(), shape.devices.end()}}];
  ClosedForm form;
  add_times(cut, shape, form);
  add_memory(cut, shape, known, form);
  if (!form.fits()) return form;
  if (!known.end) known.end = end(cut, shape);
  form.time += hops(cut, shape, known) + *known.end;
  return form;
}

void PipelineForms::add_times(const PipelineCut& cut, const PipelineShape& shape,
                              ClosedForm& form) const {
  const int p = shape.ranks;
  const bool ends_with_backward = !shape.pipeline.plain->ends_with_weights;
  Time busiest, through, back;
  for (int r = 0; r < p; ++r) {
    Time both, certain;
    for (int k = r; k < cut.partition.stages(); k += p)
      both += cut.stages[k].both, certain += cut.stages[k].certain;
    busiest = std::max(busiest, both);
    const Time all = shape.micro_batches * certain + through + (ends_with_backward ? back : Time{});
    form.least = std::max(form.least, all);
    through += cut.stages[r].certain_forward;
    back += cut.stages[r].certain_input;
  }
  form.time = shape.micro_batches * busiest + (p - 1) * cut.largest;
}

Time PipelineForms::hops(const PipelineCut& cut, const PipelineShape& shape,
                         Replicated& known) const {
  if (shape.ranks == 1) return {};
  if (!known.hop) known.hop = mean_hop(cut, shape);
  return exposed_hops(cut.partition.stages(), shape.micro_batches * shape.pipeline.chunks,
                      shape.pipeline.plain->ahead(shape.sizes()), cut.largest, *known.hop);
}

Time PipelineForms::mean_hop(const PipelineCut& cut, const PipelineShape& shape) const {
  const Bytes output = table_.layers[static_cast<size_t>(cut.partition.starts[1]) - 1].output;
  const int hops = table_.kinds.size() == 1 ? 1 : shape.ranks - 1;
  Time all;
  for (int rank = 0; rank < hops; ++rank)
    all += table_.prices.transfer(devices_of(table_, shape, rank).front(),
                                  devices_of(table_, shape, rank + 1).front(),
                                  table_.boundary.sent(output));
  return divide(all, hops);
}

/// Returns what a rank holds of weights, gradients and optimizer states.
Bytes PipelineForms::state_of(const PipelineCut& cut, const PipelineShape& shape, int rank) const {
  StateOptions state = table_.state;
  state.zero = shape.zero;
  state.shards = int64_t{shape.data} * table_.context;
  state.expert_shards = std::max<int64_t>(1, state.shards * table_.tensor / table_.expert);
  state.whole_gradients = shape.ranks > 1 && !table_.experiment.parallel.reshard.value_or(false);
  std::vector<Layer> layers;
  for (int k = rank; k < cut.partition.stages(); k += shape.ranks) {
    const auto stage = cut.partition.stage(table_.layers, k);
    layers.insert(layers.end(), stage.begin(), stage.end());
  }
  return static_memory(layers, state).total();
}

/// The fullest rank, of first, last and one between; of all where devices differ.
void PipelineForms::add_memory(const PipelineCut& cut, const PipelineShape& shape,
                               Replicated& known, ClosedForm& form) const {
  const int p = shape.ranks;
  std::set<int> ranks{0, p / 2, p - 1};
  for (int rank = 0; rank < p && table_.kinds.size() > 1; ++rank) ranks.insert(rank);
  const auto room = [](const std::optional<Bytes>& capacity, Bytes held) {
    return capacity ? capacity->count - held.count
                    : std::numeric_limits<int64_t>::max() - held.count;
  };
  for (const int rank : ranks) {
    const auto [state, is_new] = known.state.try_emplace(rank);
    if (is_new) state->second = state_of(cut, shape, rank);
    Bytes held = state->second;
    for (int k = rank; k < cut.partition.stages(); k += p)
      held += cut.stages[k].stash * shape.pipeline.plain->in_flight(shape.sizes(), rank, k / p);
    const std::array<int32_t, 1> any{0};
    const std::optional<Bytes> capacity =
        table_.kinds.size() == 1 ? table_.machine.memory(any)
                                 : table_.machine.memory(devices_of(table_, shape, rank));
    if (form.held > Bytes{} && room(capacity, held) >= room(form.capacity, form.held)) continue;
    form.held = held;
    form.capacity = capacity;
  }
}

Time PipelineForms::sharding(const DataParallel& replicas, const Mesh& mesh, const PipelineCut& cut,
                             int stage, int64_t micro_batches) const {
  const ShardedWeights::Stage parts = replicas.sharded(cut.partition.stage(table_.layers, stage));
  const auto& times = cut.stages[static_cast<size_t>(stage)];
  if (mesh.shard == 0)
    return exposed_scatters(parts, table_.prices, holders(mesh), times.both, micro_batches);
  return exposed_sharding(parts, replicas.sharded().reshard, table_.prices, sharers(mesh),
                          {times.both - times.backward, times.backward, micro_batches});
}

/// Returns the time for whichever ends last of the first rank, the last, and one between.
Time PipelineForms::end(const PipelineCut& cut, const PipelineShape& shape) {
  Parallel& parallel = table_.experiment.parallel;
  parallel.pipeline = shape.ranks;
  parallel.data = shape.data;
  parallel.zero = shape.zero;
  Mesh mesh{.tensor = table_.tensor,
            .context = table_.context,
            .data = shape.data,
            .expert = table_.expert,
            .tensor_grid = {},
            .devices = {}};
  if (shape.zero == 3) mesh.shard = shard_degree(table_.experiment, mesh);
  const DataParallel replicas(table_.experiment, mesh, table_.has_tokens, std::nullopt);
  const bool split = shape.pipeline.plain->ends_with_weights;
  const int p = shape.ranks;
  Time longest;
  for (const int rank : std::set{0, p / 2, p - 1}) {
    mesh.devices = devices_of(table_, shape, rank);
    const Holders holders = pipewright::holders(mesh);
    Time time;
    for (int k = 0; k < rank && !split; ++k) time -= cut.stages[k].backward;
    for (int k = rank; k < cut.partition.stages(); k += p) {
      const UpdateWork update = replicas.update(cut.partition.stage(table_.layers, k));
      const Time last = split ? cut.stages[k].weight : cut.stages[k].backward;
      if (k == rank) time += exposed_reductions(update, table_.prices, holders, last);
      if (replicas.scatters()) time += sharding(replicas, mesh, cut, k, shape.micro_batches);
      time += step_time(update, table_.prices, holders);
    }
    longest = std::max(longest, time);
  }
  return longest;
}

}  // namespace pipewright
