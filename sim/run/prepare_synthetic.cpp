#include <fmt/format.h>

#include <set>

#include "base/required.hpp"
#include "experiment/kind_keys.hpp"
#include "experiment/make_schedule.hpp"
#include "experiment/resolved_document.hpp"
#include "machine/run_options.hpp"
#include "plan/degrees.hpp"
#include "plan/grid.hpp"
#include "result/memory_use.hpp"
#include "run/prepare.hpp"
#include "run/prepared.hpp"

namespace pipewright {
namespace {

int64_t stages_of(const schedule::Order& order) {
  std::set<int32_t> stages;
  for (const schedule::Action& a : order) stages.insert(a.stage);
  return static_cast<int64_t>(stages.size());
}

/// The weights of a device are those of its share of the model. Where stages have copies a rank has
/// more stages than its share.
std::vector<MemoryUse> static_memory(const SyntheticModel& model, const Prepared& prepared) {
  std::vector<MemoryUse> memory;
  for (int rank = 0; rank < prepared.schedule.ranks(); ++rank) {
    const Bytes weights{model.weights.count * stages_of(prepared.schedule.order[rank]) /
                        prepared.schedule.chunks()};
    memory.push_back(
        {.weights = weights,
         .weight_versions = weights * (prepared.versions[static_cast<size_t>(rank)].held - 1)});
  }
  return memory;
}

/// Notes what is said and changes nothing.
void tell_of_ignored(const Experiment& e, Prepared& prepared) {
  const std::vector<std::string> ignored = keys_of_other_kinds(e);
  if (ignored.empty()) return;
  prepared.record.notes.push_back(fmt::format(
      "a synthetic model has times and micro-batches of its own, which is all that counts: not {}",
      fmt::join(ignored, ", ")));
}

}  // namespace

Prepared prepare_synthetic(const Experiment& experiment, const Machine& machine,
                           const RunOptions& options) {
  const SyntheticModel& model = required(experiment.synthetic, "a synthetic experiment");
  Experiment e = experiment;
  if (e.overlap.tensor.kind != TensorOverlap::none)
    e.fail("overlap", "overlap.tensor: a synthetic model has no tensor-parallel layers");
  e.parallel.pipeline = model.devices;
  if (e.parallel.data <= 0) e.parallel.data = 1;
  require_devices(e, machine.device_count());
  Prepared prepared;
  prepared.grid = make_grid(e, machine.device_count());
  prepared.prices = machine.prices(e);
  const Time hop = prepared.grid.pipeline() > 1
                       ? prepared.prices.transfer(prepared.grid.device(0, 0, 0),
                                                  prepared.grid.device(1, 0, 0), model.boundary)
                       : Time{};
  const schedule::Shape shape{
      .ranks = model.devices,
      .micro_batches = model.micro_batches,
      .iterations = e.iterations,
      .costs = [&model, hop](int stages) { return synthetic_costs(model, stages, hop); },
      .allow_commands = options.allow_commands};
  prepared.schedule = make_schedule(e, shape);
  prepared.work.stages = synthetic_stages(model, prepared.schedule);
  prepared.work.updates = synthetic_updates(model, prepared.schedule);
  prepared.versions = steady_versions(e, shape, prepared.schedule);
  prepared.work.static_memory = static_memory(model, prepared);
  prepared.work.samples = static_cast<double>(prepared.schedule.micro_batches) * e.parallel.data;
  settle_virtual(e, prepared.schedule);
  prepared.record.resolved = resolved_document(e);
  tell_of_ignored(e, prepared);
  return prepared;
}

}  // namespace pipewright
