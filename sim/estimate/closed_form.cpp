#include "estimate/closed_form.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <set>

#include "plan/data_parallel.hpp"
#include "plan/update_time.hpp"
#include "schedule/kinds/kinds.hpp"

namespace pipewright {

std::optional<Pipeline> Pipeline::of(const config::Value& schedule,
                                     std::optional<int> virtual_stages) {
  std::string_view name = schedule.text;
  std::optional<int> chunks = virtual_stages;
  for (const config::Entry& entry : schedule.entries) {
    const bool known = entry.key == "name" || entry.key == "virtual";
    if (!known || !entry.value.is_scalar()) return std::nullopt;
    if (entry.key == "name") {
      name = entry.value.text;
      continue;
    }
    const auto given = static_cast<int>(config::as_int(entry.value, 1, 1 << 20));
    if (given != chunks.value_or(given)) return std::nullopt;
    chunks = given;
  }
  const schedule::Kind* kind = schedule::find_kind(name);
  if (!kind || !kind->plain) return std::nullopt;
  if (!kind->takes_virtual && chunks.value_or(1) != 1) return std::nullopt;
  return Pipeline{kind->plain, chunks.value_or(kind->plain->chunks)};
}

schedule::PipelineSizes PipelineShape::sizes() const {
  return {.ranks = ranks, .chunks = pipeline.chunks, .micro_batches = micro_batches};
}

std::string PipelineShape::misfit() const {
  return pipeline.plain->misfit ? pipeline.plain->misfit(sizes()) : std::string();
}

Time exposed_hops(int stages, int64_t slots, int64_t ahead, Time largest, Time hop) {
  const double trip = 2.0 * (stages - 1) * in_seconds(hop);
  const double hidden = static_cast<double>(ahead - stages) * in_seconds(largest);
  const double rounds = static_cast<double>(slots) / static_cast<double>(ahead);
  return seconds(trip + (rounds - 1) * std::clamp(trip - hidden, 0.0, trip));
}

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

}  // namespace

PipelineForms::PipelineForms(LayerTable table) : table_(std::move(table)) {
  for (const KindTimes& kind : table_.kinds) before_.push_back(running_sums(kind.times));
}

ClosedForm PipelineForms::of(const PipelineShape& shape) {
  const std::lock_guard lock(mutex_);
  const Cut& cut = this->cut(shape);
  ClosedForm form;
  add_times(cut, shape, form);
  add_memory(cut, shape, form);
  if (!form.fits()) return form;
  Parallel& parallel = table_.experiment.parallel;
  parallel.pipeline = shape.ranks;
  parallel.data = shape.data;
  parallel.zero = shape.zero;
  form.time += hops(cut, shape) + end(cut, shape);
  return form;
}

std::vector<int32_t> PipelineForms::devices(const PipelineShape& shape, int rank) const {
  std::vector<int32_t> devices(static_cast<size_t>(table_.tensor * table_.context * shape.data));
  const size_t first = devices.size() * static_cast<size_t>(rank);
  std::iota(devices.begin(), devices.end(), static_cast<int32_t>(first));
  if (!shape.devices.empty())
    std::ranges::copy(shape.devices.subspan(first, devices.size()), devices.begin());
  return devices;
}

PipelineForms::RankKinds PipelineForms::rank_kinds(const PipelineShape& shape) const {
  if (table_.kinds.size() == 1) return {};
  RankKinds kinds;
  for (int rank = 0; rank < shape.ranks; ++rank) {
    kinds.emplace_back();
    for (const int32_t device : devices(shape, rank))
      kinds.back().insert(table_.prices.class_of(device));
  }
  for (const Kinds& of_rank : kinds)
    for (const int32_t kind : of_rank)
      if (const std::string& misfit = table_.kinds[static_cast<size_t>(kind)].misfit;
          !misfit.empty())
        table_.experiment.misfit("precision", misfit);
  return kinds;
}

const PipelineForms::Cut& PipelineForms::cut(const PipelineShape& shape) {
  RankKinds kinds = rank_kinds(shape);
  std::unique_ptr<const Cut>& kept =
      cuts_[{shape.ranks, shape.pipeline.chunks, shape.balanced, kinds}];
  if (!kept) kept = std::make_unique<const Cut>(cut_anew(shape, kinds));
  return *kept;
}

Partition PipelineForms::partition(const PipelineShape& shape, const RankKinds& kinds) const {
  const int stages = shape.ranks * shape.pipeline.chunks;
  if (!shape.balanced) return even_partition(table_.layers, stages, {});
  const auto layers = static_cast<int>(table_.layers.size());
  std::vector<std::vector<Time>> costs(kinds.empty() ? 1 : static_cast<size_t>(stages));
  for (size_t stage = 0; stage < costs.size(); ++stage)
    for (int layer = 0; layer < layers; ++layer)
      costs[stage].push_back(
          between(layer, layer + 1, kinds.empty() ? Kinds{0} : kinds[stage % kinds.size()]).both);
  return kinds.empty() ? balanced_partition(costs.front(), stages, {})
                       : balanced_partition(costs, {});
}

PipelineForms::Cut PipelineForms::cut_anew(const PipelineShape& shape,
                                           const RankKinds& kinds) const {
  const int stages = shape.ranks * shape.pipeline.chunks;
  Cut cut{.partition = partition(shape, kinds), .stages = {}, .largest = {}};
  for (int k = 0; k < stages; ++k) {
    const int first = cut.partition.starts[k], next = cut.partition.starts[k + 1];
    const int32_t device = devices(shape, k % shape.ranks).front();
    Stage stage = between(first, next, kinds.empty() ? Kinds{0} : kinds[k % shape.ranks]);
    if (shape.ranks > 1 && k > 0) stage.both += gather_before(first, device);
    if (shape.ranks > 1 && k + 1 < stages) stage.both += gather_before(next, device);
    cut.largest = std::max(cut.largest, stage.both);
    cut.stages.push_back(stage);
  }
  return cut;
}

/// Returns the time to gather an output that has left its stage in parts, or its gradient, from
/// `device` and those after it.
Time PipelineForms::gather_before(int layer, int32_t device) const {
  if (table_.boundary.parts == 1) return {};
  std::vector<int32_t> group(static_cast<size_t>(table_.boundary.parts));
  std::iota(group.begin(), group.end(), table_.kinds.size() == 1 ? 0 : device);
  return table_.prices.collective(CollectiveKind::all_gather, group,
                                  table_.layers[static_cast<size_t>(layer) - 1].output);
}

PipelineForms::Stage PipelineForms::between(int first, int end, const Kinds& kinds) const {
  Stage all = between(first, end, *kinds.begin());
  for (const int32_t kind : kinds) {
    const Stage one = between(first, end, kind);
    for (Time Stage::*slow : {&Stage::both, &Stage::certain, &Stage::backward, &Stage::weight})
      all.*slow = std::max(all.*slow, one.*slow);
    for (Time Stage::*quick : {&Stage::certain_forward, &Stage::certain_input})
      all.*quick = std::min(all.*quick, one.*quick);
  }
  return all;
}

PipelineForms::Stage PipelineForms::between(int first, int end, int32_t kind) const {
  if (first == end) return {};
  const auto number = static_cast<size_t>(kind);
  const std::vector<LayerTimes>& times = table_.kinds[number].times;
  const LayerTimes &a = before_[number][static_cast<size_t>(first)],
                   &b = before_[number][static_cast<size_t>(end)];
  const Time forward_tail = times[static_cast<size_t>(end) - 1].forward_tail;
  const Time backward_tail = times[static_cast<size_t>(first)].backward_tail;
  const Time both = b.both() - a.both();
  Stage stage{both,
              both - forward_tail - backward_tail,
              b.forward - a.forward - forward_tail,
              std::max(b.input_gradient - a.input_gradient - backward_tail, Time{}),
              b.backward - a.backward,
              (b.backward - b.input_gradient) - (a.backward - a.input_gradient),
              {}};
  for (int i = first; i < end; ++i) stage.stash += table_.layers[static_cast<size_t>(i)].stash;
  return stage;
}

void PipelineForms::add_times(const Cut& cut, const PipelineShape& shape, ClosedForm& form) const {
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

Time PipelineForms::hops(const Cut& cut, const PipelineShape& shape) const {
  const int p = shape.ranks, stages = cut.partition.stages();
  if (p == 1) return {};
  const Bytes output = table_.layers[static_cast<size_t>(cut.partition.starts[1]) - 1].output;
  const int hops = table_.kinds.size() == 1 ? 1 : p - 1;
  Time all;
  for (int rank = 0; rank < hops; ++rank)
    all += table_.prices.transfer(devices(shape, rank).front(), devices(shape, rank + 1).front(),
                                  table_.boundary.sent(output));
  return exposed_hops(stages, shape.micro_batches * shape.pipeline.chunks,
                      shape.pipeline.plain->ahead(shape.sizes()), cut.largest, divide(all, hops));
}

/// The fullest rank, of first, last and one between; of all where devices differ.
void PipelineForms::add_memory(const Cut& cut, const PipelineShape& shape, ClosedForm& form) const {
  StateOptions state = table_.state;
  state.zero = shape.zero;
  state.shards = int64_t{shape.data} * table_.context;
  state.expert_shards = std::max<int64_t>(1, state.shards * table_.tensor / table_.expert);
  const int p = shape.ranks;
  state.whole_gradients = p > 1 && !table_.experiment.parallel.reshard.value_or(false);
  std::set<int> ranks{0, p / 2, p - 1};
  for (int rank = 0; rank < p && table_.kinds.size() > 1; ++rank) ranks.insert(rank);
  const auto room = [](const std::optional<Bytes>& capacity, Bytes held) {
    return capacity ? capacity->count - held.count
                    : std::numeric_limits<int64_t>::max() - held.count;
  };
  for (const int rank : ranks) {
    std::vector<Layer> layers;
    Bytes activations;
    for (int k = rank; k < cut.partition.stages(); k += p) {
      const auto stage = cut.partition.stage(table_.layers, k);
      layers.insert(layers.end(), stage.begin(), stage.end());
      activations +=
          cut.stages[k].stash * shape.pipeline.plain->in_flight(shape.sizes(), rank, k / p);
    }
    const Bytes held = static_memory(layers, state).total() + activations;
    const std::array<int32_t, 1> any{0};
    const std::optional<Bytes> capacity = table_.kinds.size() == 1
                                              ? table_.machine.memory(any)
                                              : table_.machine.memory(devices(shape, rank));
    if (form.held > Bytes{} && room(capacity, held) >= room(form.capacity, form.held)) continue;
    form.held = held;
    form.capacity = capacity;
  }
}

/// Returns the time for whichever ends last of the first rank, the last, and one between.
Time PipelineForms::end(const Cut& cut, const PipelineShape& shape) const {
  Mesh mesh{.tensor = table_.tensor,
            .context = table_.context,
            .data = shape.data,
            .expert = table_.expert,
            .tensor_grid = {},
            .devices = {}};
  const DataParallel replicas(table_.experiment, mesh, table_.has_tokens, std::nullopt);
  const bool split = shape.pipeline.plain->ends_with_weights;
  const int p = shape.ranks;
  Time longest;
  for (const int rank : std::set{0, p / 2, p - 1}) {
    mesh.devices = devices(shape, rank);
    const Holders holders = pipewright::holders(mesh);
    Time time;
    for (int k = 0; k < rank && !split; ++k) time -= cut.stages[k].backward;
    for (int k = rank; k < cut.partition.stages(); k += p) {
      const UpdateWork update = replicas.update(cut.partition.stage(table_.layers, k));
      const Time last = split ? cut.stages[k].weight : cut.stages[k].backward;
      if (k == rank) time += exposed_reductions(update, table_.prices, holders, last);
      time += step_time(update, table_.prices, holders);
    }
    longest = std::max(longest, time);
  }
  return longest;
}

}  // namespace pipewright
