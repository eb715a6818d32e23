#include "study/prepare.hpp"

#include <fmt/format.h>

namespace pipewright {

LoweringInput Prepared::lowering() const {
  return {.schedule = schedule,
          .stages = work.stages,
          .updates = work.updates,
          .tied_embedding = work.tied_embedding,
          .send_mode = overlap.p2p,
          .send_buffer = overlap.buffer,
          .overlap_data = overlap.data,
          .grid = grid,
          .fold_tensor = fold_tensor,
          .replicas = replicas};
}

Prepared prepare(const Experiment& experiment, const config::Catalogue& catalogue,
                 const RunOptions& options) {
  if (!experiment.has_schedule()) {
    const char* key = experiment.trace ? "trace" : "traffic";
    experiment.at(key).fail(
        fmt::format("an experiment with '{}' has no schedule: it can be simulated only", key));
  }
  const Machine machine = read_machine(experiment, catalogue);
  Prepared prepared = experiment.synthetic ? prepare_synthetic(experiment, machine, options)
                                           : prepare_model(experiment, machine, options);
  prepared.schedule_name = schedule_name(experiment.at("schedule"));
  prepared.overlap = experiment.overlap;
  if (prepared.schedule.sends == schedule::Sends::blocking) prepared.overlap.p2p = SendMode::sender;
  if (prepared.schedule.sends == schedule::Sends::streamed) prepared.overlap.p2p = SendMode::async;
  if (const Device* device = machine.device())
    prepared.upkeep = {device->watts, device->idle_watts, device->price_per_hour};
  prepared.training = experiment.training;
  if (prepared.training && prepared.work.tokens <= 0)
    experiment.at("training").fail("training counts tokens, and this model has none");
  prepared.topology = machine.topology();
  prepared.provenance = machine.provenance();
  prepared.shares_links = experiment.network == "flow";
  if (options.fold) {
    const std::set<RankPair> pairs = pairs_that_send(prepared.schedule);
    prepared.fold_tensor = tensor_ranks_alike(prepared.grid, prepared.prices, pairs);
    prepared.replicas = replica_classes(prepared.grid, prepared.prices, pairs);
  }
  return prepared;
}

}  // namespace pipewright
