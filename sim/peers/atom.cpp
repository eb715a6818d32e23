// peers: {atom: {segments: 8, host_link: 12 GB/s}}
#include <algorithm>
#include <cmath>

#include "base/required.hpp"
#include "config/catalogue.hpp"
#include "machine/run_options.hpp"
#include "peers/peers.hpp"
#include "plan/segments_time.hpp"
#include "result/fit.hpp"
#include "result/memory_use.hpp"
#include "run/prepare.hpp"
#include "run/prepared.hpp"
#include "run/rates.hpp"
#include "workload/workload_options.hpp"

namespace pipewright {
namespace {

using config::Value;

struct PartOfModel {
  Time forward, backward;  ///< of all micro-batches of a step
  Time load, store;        ///< its weights from the host, its gradients to it
  Bytes weights, gradients, input, activation;
};

Bytes gradients_of(const UpdateWork& update) {
  Bytes all;
  for (const CollectiveWork& bucket : update.reduce) all += bucket.bytes;
  return all;
}

std::vector<PartOfModel> parts(const Prepared& prepared, const Experiment& experiment,
                               Bandwidth host) {
  const int micro_batches = prepared.schedule.micro_batches;
  const double narrower =
      element_bytes(activation_dtype(experiment.precision)) / element_bytes(experiment.gradients);
  const Mesh& mesh = prepared.grid.meshes.front();
  std::vector<PartOfModel> all;
  for (size_t k = 0; k < prepared.work.stages.size(); ++k) {
    const StageWork& work = prepared.work.stages[k];
    PartOfModel& part = all.emplace_back();
    part.forward = segments_time(work.forward, prepared.prices, mesh) * micro_batches;
    part.backward = segments_time(work.backward, prepared.prices, mesh) * micro_batches;
    part.gradients = gradients_of(prepared.work.updates[k]);
    part.weights = {std::llround(static_cast<double>(part.gradients.count) * narrower)};
    part.load = part.weights / host;
    part.store = part.gradients / host;
    part.input = k > 0 ? prepared.work.stages[k - 1].forward_output : Bytes{};
    part.activation = work.activation + work.transient;
  }
  return all;
}

/// One step of one peer. What is at hand at the turn, the last segment, is not fetched again.
Time step_time(const std::vector<PartOfModel>& all) {
  const size_t last = all.size() - 1;
  Time time = all.size() > 1 ? all.front().load : Time{};
  for (size_t k = 0; k < last; ++k) time += std::max(all[k].forward, all[k + 1].load);
  time += all[last].forward;
  for (size_t k = last; k > 0; --k) {
    const Time stored = k < last ? all[k + 1].store : Time{};
    time += std::max({all[k].backward, all[k - 1].load, stored});
  }
  time += last > 0 ? std::max(all[0].backward, all[1].store) : all[0].backward;
  return time + all.front().store;
}

MemoryUse memory(const std::vector<PartOfModel>& all, int micro_batches) {
  MemoryUse use;
  for (size_t k = 0; k < all.size(); ++k) {
    const PartOfModel& next = all[std::min(k + 1, all.size() - 1)];
    const bool two = k + 1 < all.size();
    use.weights = std::max(use.weights, all[k].weights + (two ? next.weights : Bytes{}));
    use.gradients = std::max(use.gradients, all[k].gradients + (two ? next.gradients : Bytes{}));
    use.activations = std::max(use.activations, all[k].activation);
  }
  for (const PartOfModel& part : all) use.activations += part.input * micro_batches;
  return use;
}

/// The experiment on one rank, its layers in so many segments.
Experiment in_segments(const Experiment& experiment, int64_t segments) {
  Value schedule;
  schedule.set("name", config::scalar("looped-bfs"));
  schedule.set("virtual", config::number(segments));
  return under_schedule(experiment, segments > 1 ? schedule : config::scalar("gpipe"));
}

}  // namespace

Run run_atom_experiment(const Experiment& experiment, const Value& value,
                        const config::Catalogue& catalogue, const RunOptions& options) {
  const config::Fields fields(value, "atom", keys::atom);
  const Parallel& parallel = experiment.parallel;
  if (parallel.pipeline > 1 || parallel.tensor > 1 || parallel.context > 1)
    experiment.misfit("parallel", "an ATOM peer runs the whole model: only data may be above 1");
  if (experiment.synthetic) experiment.misfit("model", "peers need a model made of layers");
  const int64_t segments = fields.integer("segments", 8, 1, 1 << 16);
  Bandwidth host{12e9};  // PCIe 3 x16, as measured
  if (const Value* link = fields.find("host_link")) host = config::as_bandwidth(*link);
  Experiment inner = in_segments(experiment, segments);
  const Prepared prepared = prepare(inner, catalogue, options);
  const std::vector<PartOfModel> all = parts(prepared, experiment, host);

  Bytes gradients;
  Time computing;
  for (const PartOfModel& part : all) {
    gradients += part.gradients;
    computing += part.forward + part.backward;
  }
  Time reduce;
  if (prepared.devices.count() > 1)
    reduce =
        prepared.prices.collective(CollectiveKind::all_reduce, prepared.grid.devices(), gradients);
  const Time alone = step_time(all);
  const Time step = experiment.overlap.data ? std::max(alone, reduce) : alone + reduce;

  Run run;
  Metrics& metrics = run.result.metrics;
  metrics.iteration = metrics.makespan = metrics.max_span =
      seconds(in_seconds(step) / presence(experiment.failures));
  Communication& data = metrics.communication[static_cast<size_t>(Traffic::data)];
  data.time = reduce;
  for (const PartOfModel& part : all) {
    metrics.breakdown[ComputeKind::forward] += part.forward;
    metrics.breakdown[ComputeKind::backward] += part.backward;
  }
  metrics.breakdown[Traffic::data] = step - alone;
  metrics.breakdown[Traffic::host] = alone - computing;
  metrics.breakdown.bubble = metrics.iteration - step;
  RankResult& rank = metrics.ranks.emplace_back();
  rank.compute = computing;
  rank.breakdown = metrics.breakdown;
  rank.span = metrics.makespan;
  rank.idle = metrics.makespan - computing;
  rank.memory = memory(all, prepared.schedule.micro_batches);
  rank.devices = prepared.grid.devices();
  run.result.synchronous = false;
  run.result.schedule = "atom";
  run.result.experiment = without_schedule(prepared.record.resolved,
                                           required(experiment.peers, "an experiment of peers"));
  run.result.provenance = prepared.record.provenance;
  rank.capacity = prepared.devices.memory(rank.devices);
  for (const int32_t device : rank.devices)
    metrics.busy.push_back({.device = device, .computing = metrics.breakdown.computing()});
  add_fit(run.result);
  add_rates(prepared, run.result);
  return run;
}

}  // namespace pipewright
