// peers: {atom: {segments: 8, host_link: 12 GB/s}}
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/clock.hpp"
#include "base/required.hpp"
#include "base/stop.hpp"
#include "config/catalogue.hpp"
#include "engine/engine.hpp"
#include "machine/run_options.hpp"
#include "peers/atom_program.hpp"
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

/// A segment with what it needs of the device's memory.
struct PartOfModel : atom::Segment {
  Bytes input, activation;
};

Bytes gradients_of(const UpdateWork& update) {
  Bytes all;
  for (const CollectiveWork& bucket : update.reduce) all += bucket.bytes;
  return all;
}

std::vector<PartOfModel> parts(const Prepared& prepared, const Experiment& experiment,
                               Bandwidth host) {
  const double narrower =
      element_bytes(activation_dtype(experiment.precision)) / element_bytes(experiment.gradients);
  const Mesh& mesh = prepared.grid.meshes.front();
  std::vector<PartOfModel> all;
  for (size_t k = 0; k < prepared.work.stages.size(); ++k) {
    const StageWork& work = prepared.work.stages[k];
    PartOfModel& part = all.emplace_back();
    part.forward = segments_time(work.forward, prepared.prices, mesh);
    part.backward = segments_time(work.backward, prepared.prices, mesh);
    part.gradients = gradients_of(prepared.work.updates[k]);
    part.weights = {std::llround(static_cast<double>(part.gradients.count) * narrower)};
    part.load = part.weights / host;
    part.store = part.gradients / host;
    part.input = k > 0 ? prepared.work.stages[k - 1].forward_output : Bytes{};
    part.activation = work.activation + work.transient;
  }
  return all;
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

/// The host link: what the user says, else PCIe 3 x16 as measured.
Bandwidth host_link(const config::Fields& fields) {
  const Value* link = fields.find("host_link");
  return link ? config::as_bandwidth(*link) : Bandwidth{12e9};
}

atom::Peers peers_of(const Prepared& prepared, bool beside, Bytes reduced) {
  atom::Peers peers{.devices = prepared.grid.devices(),
                    .micro_batches = prepared.schedule.micro_batches,
                    .reduced = reduced,
                    .beside = beside};
  if (peers.devices.size() > 1)
    peers.reduce =
        prepared.prices.collective(CollectiveKind::all_reduce, peers.devices, peers.reduced);
  return peers;
}

/// A number of segments, simulated.
struct Simulated {
  Prepared prepared;
  Run run;
};

void add_metrics(const Prepared& prepared, const std::vector<PartOfModel>& all, Run& run) {
  Metrics& metrics = run.result.metrics;
  metrics = measure(run.program, run.timeline, prepared.schedule,
                    {memory(all, prepared.schedule.micro_batches)});
  metrics.bounds = bounds(run.program, run.timeline);
  for (RankResult& rank : metrics.ranks) {
    rank.devices = prepared.grid.devices();
    rank.capacity = prepared.devices.memory(rank.devices);
  }
  add_fit(run.result);
}

/// Tells whether `a` is to be taken rather than `b`: it fits, or is faster where both do or do not.
bool is_better(const RunResult& a, const RunResult& b) {
  if (a.fit.feasible != b.fit.feasible) return a.fit.feasible;
  return a.metrics.iteration < b.metrics.iteration;
}

/// Runs of one experiment that differ in their number of segments.
class Trials {
 public:
  Trials(const Experiment& experiment, Bandwidth host, const config::Catalogue& catalogue,
         const RunOptions& options)
      : experiment_(experiment), host_(host), catalogue_(catalogue), options_(options) {
    // In one piece: the two ends of the model may share an embedding.
    const Prepared whole = prepared_in(1);
    for (const UpdateWork& update : whole.work.updates) reduced_ += gradients_of(update);
    layers_ = std::accumulate(whole.work.layers.begin(), whole.work.layers.end(), int64_t{0});
  }

  Simulated run(int64_t segments) const {
    const ClockTime begin = now();
    Simulated one{.prepared = prepared_in(segments)};
    const std::vector<PartOfModel> all = parts(one.prepared, experiment_, host_);
    atom::TimedProgram step = atom::step_of(
        {all.begin(), all.end()}, peers_of(one.prepared, experiment_.overlap.data, reduced_));
    const ClockTime ready = now();
    one.run.timeline = simulate(step.program, step.durations);
    one.run.result.cost.wall_s = seconds_since(ready);
    one.run.result.cost.setup_s = seconds_since(begin) - one.run.result.cost.wall_s;
    one.run.result.cost.events = step.program.ops.size();
    one.run.program = std::move(step.program);
    one.run.schedule = one.prepared.schedule;
    add_metrics(one.prepared, all, one.run);
    return one;
  }

  /// The number of segments that takes the least time of those that fit. Numbers that the layers
  /// cannot be cut into are passed over.
  Simulated best() const {
    Simulated best = run(1);
    for (int64_t segments = 2; segments <= layers_; ++segments) {
      stop_here();
      try {
        Simulated one = run(segments);
        if (is_better(one.run.result, best.run.result)) best = std::move(one);
      } catch (const Misfit&) {
      }
    }
    const int segments = best.prepared.schedule.stages;
    best.run.result.notes.push_back(fmt::format("of 1 to {} segments {} {} best", layers_, segments,
                                                segments == 1 ? "is" : "are"));
    return best;
  }

 private:
  Prepared prepared_in(int64_t segments) const {
    return prepare(in_segments(experiment_, segments), catalogue_, options_);
  }

  const Experiment& experiment_;
  Bandwidth host_;
  const config::Catalogue& catalogue_;
  const RunOptions& options_;
  Bytes reduced_;  ///< by a peer's all-reduce
  int64_t layers_ = 0;
};

/// What the result repeats of the experiment: it says how many segments there are.
Value settled(const Prepared& prepared, const Value& options) {
  Value atom = options;
  atom.set("segments", config::number(prepared.schedule.stages));
  Value peers;
  peers.set("atom", std::move(atom));
  Value document = without_schedule(prepared.record.resolved, peers);
  // They are what the schedule that the segments are cut by calls its virtual stages.
  if (Value* parallel = document.find("parallel"))
    std::erase_if(parallel->entries, [](const auto& entry) { return entry.key == "virtual"; });
  return document;
}

/// A peer is there for a share of the time only; nobody waits for it.
void stretch(double presence, Metrics& metrics) {
  const Time step = metrics.iteration;
  metrics.iteration = seconds(in_seconds(step) / presence);
  metrics.breakdown.bubble += metrics.iteration - step;
  for (RankResult& rank : metrics.ranks) rank.breakdown.bubble += metrics.iteration - step;
}

}  // namespace

Run run_atom_experiment(const Experiment& experiment, const Value& value,
                        const config::Catalogue& catalogue, const RunOptions& options) {
  const config::Fields fields(value, "atom", keys::atom);
  const Parallel& parallel = experiment.parallel;
  if (parallel.pipeline > 1 || parallel.tensor > 1 || parallel.context > 1)
    experiment.misfit("parallel", "an ATOM peer runs the whole model: only data may be above 1");
  if (experiment.synthetic) experiment.misfit("model", "peers need a model made of layers");
  const Trials trials(experiment, host_link(fields), catalogue, options);
  const int64_t segments = fields.integer("segments", 0, 1, 1 << 20);
  auto [prepared, run] = segments > 0 ? trials.run(segments) : trials.best();
  stretch(presence(experiment.failures), run.result.metrics);
  run.result.synchronous = false;
  run.result.schedule = "atom";
  run.result.experiment = settled(prepared, value);
  run.result.provenance = prepared.record.provenance;
  const int there = required(prepared.devices.machine, "a job has a machine").device_count();
  run.result.devices = {prepared.devices.count(), there - prepared.devices.count()};
  add_rates(prepared, run.result);
  return std::move(run);
}

}  // namespace pipewright
