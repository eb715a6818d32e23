#include "estimate/closed_form.hpp"

#include <algorithm>
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

PipelineForms::PipelineForms(LayerTable table) : table_(std::move(table)) {
  before_.emplace_back();
  for (const LayerTimes& times : table_.times) {
    LayerTimes sum = before_.back();
    sum.forward += times.forward;
    sum.backward += times.backward;
    sum.input_gradient += times.input_gradient;
    before_.push_back(sum);
  }
}

ClosedForm PipelineForms::of(const PipelineShape& shape) {
  const std::lock_guard lock(mutex_);
  const Cut& cut = this->cut(shape);
  ClosedForm form;
  add_times(cut, shape, form);
  add_memory(cut, shape, form);
  const std::optional<Bytes> memory = table_.machine.device_memory();
  if (memory && form.held > *memory) return form;
  Parallel& parallel = table_.experiment.parallel;
  parallel.pipeline = shape.ranks;
  parallel.data = shape.data;
  parallel.zero = shape.zero;
  form.time += hops(cut, shape) + end(cut, shape);
  return form;
}

const PipelineForms::Cut& PipelineForms::cut(const PipelineShape& shape) {
  std::unique_ptr<const Cut>& kept = cuts_[{shape.ranks, shape.pipeline.chunks, shape.balanced}];
  if (!kept) kept = std::make_unique<const Cut>(cut_anew(shape));
  return *kept;
}

PipelineForms::Cut PipelineForms::cut_anew(const PipelineShape& shape) const {
  const int stages = shape.ranks * shape.pipeline.chunks;
  Cut cut;
  if (shape.balanced) {
    std::vector<Time> costs;
    for (const LayerTimes& times : table_.times) costs.push_back(times.both());
    cut.partition = balanced_partition(costs, stages, {});
  } else {
    cut.partition = even_partition(table_.layers, stages, {});
  }
  for (int k = 0; k < stages; ++k) {
    const int first = cut.partition.starts[k], next = cut.partition.starts[k + 1];
    Stage stage = between(first, next);
    if (shape.ranks > 1 && k > 0) stage.both += gather_before(first);
    if (shape.ranks > 1 && k + 1 < stages) stage.both += gather_before(next);
    cut.largest = std::max(cut.largest, stage.both);
    cut.stages.push_back(stage);
  }
  return cut;
}

/// Returns the time to gather an output that has left its stage in parts, or its gradient.
Time PipelineForms::gather_before(int layer) const {
  if (table_.boundary.parts == 1) return {};
  std::vector<int32_t> group(static_cast<size_t>(table_.boundary.parts));
  std::iota(group.begin(), group.end(), 0);
  return table_.prices.collective(CollectiveKind::all_gather, group,
                                  table_.layers[static_cast<size_t>(layer) - 1].output);
}

PipelineForms::Stage PipelineForms::between(int first, int end) const {
  if (first == end) return {};
  const LayerTimes &a = before_[static_cast<size_t>(first)], &b = before_[static_cast<size_t>(end)];
  const Time forward_tail = table_.times[static_cast<size_t>(end) - 1].forward_tail;
  const Time backward_tail = table_.times[static_cast<size_t>(first)].backward_tail;
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
  const int next = table_.tensor * table_.context * shape.data;
  return exposed_hops(stages, shape.micro_batches * shape.pipeline.chunks,
                      shape.pipeline.plain->ahead(shape.sizes()), cut.largest,
                      table_.prices.transfer(0, next, table_.boundary.sent(output)));
}

/// The fullest rank, of first, last and one between.
void PipelineForms::add_memory(const Cut& cut, const PipelineShape& shape, ClosedForm& form) const {
  StateOptions state = table_.state;
  state.zero = shape.zero;
  state.shards = int64_t{shape.data} * table_.context;
  state.expert_shards = std::max<int64_t>(1, state.shards * table_.tensor / table_.expert);
  const int p = shape.ranks;
  state.whole_gradients = p > 1 && !table_.experiment.parallel.reshard.value_or(false);
  for (const int rank : {0, p / 2, p - 1}) {
    std::vector<Layer> layers;
    Bytes activations;
    for (int k = rank; k < cut.partition.stages(); k += p) {
      const auto stage = cut.partition.stage(table_.layers, k);
      layers.insert(layers.end(), stage.begin(), stage.end());
      activations +=
          cut.stages[k].stash * shape.pipeline.plain->in_flight(shape.sizes(), rank, k / p);
    }
    form.held = std::max(form.held, static_memory(layers, state).total() + activations);
  }
}

/// Returns the time for whichever ends last of the first rank, the last, and one between.
Time PipelineForms::end(const Cut& cut, const PipelineShape& shape) const {
  const Mesh mesh{.tensor = table_.tensor,
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
    const Holders holders = pipewright::holders(mesh, rank * mesh.tensor * mesh.replicas());
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
