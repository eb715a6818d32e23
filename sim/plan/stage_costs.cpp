#include "plan/stage_costs.hpp"

#include <algorithm>

#include "plan/segments_time.hpp"
#include "plan/slice_times.hpp"
#include "plan/stage_builder.hpp"

namespace pipewright {
namespace {

/// Returns the longest that a message takes from a stage to the next.
Time longest_hop(const StagedModel& model) {
  const Prices& prices = model.job.prices;
  const Grid& grid = model.job.grid;
  Time longest;
  for (int k = 1; k < model.stages(); ++k) {
    const uint32_t edge = model.resharding_edge_before(k);
    const Time time = edge != none ? prices.resharding->time(edge, model.resharded(k))
                                   : prices.transfer(grid.device(0, 0, 0), grid.device(1, 0, 0),
                                                     model.boundary(k).sent(model.received(k)));
    longest = std::max(longest, time);
  }
  return longest;
}

}  // namespace

schedule::StageCosts stage_costs(const StagedModel& model) {
  const ModelOnGrid& job = model.job;
  const StageBuilder builder(model);
  schedule::StageCosts costs;
  for (int k = 0; k < model.stages(); ++k) {
    const StageWork work = builder.stage(k);
    const Mesh& mesh = model.mesh_of(k);
    const std::vector<int32_t> devices = unlike_devices(mesh.devices, job.prices);
    const auto time = [&](const Segments& pass) {
      Time longest;
      for (const int32_t device : devices)
        longest = std::max(longest, segments_time(pass, job.prices, mesh, device));
      return longest;
    };
    costs.forward.push_back(time(work.forward));
    costs.input_gradient.push_back(time(work.input_gradient));
    costs.weight_gradient.push_back(time(work.weight_gradient));
  }
  if (job.grid.pipeline() > 1) costs.hop = longest_hop(model);
  const int sequence = job.sequence();
  if (sequence == 0) return costs;
  // A middle stage stands for all: the planner wants the time of a slice in the steady state.
  const int in_middle = model.stages() / 2;
  costs.slice_cost =
      SliceTimes(builder.stage(in_middle), job.prices, model.mesh_of(in_middle), sequence);
  return costs;
}

}  // namespace pipewright
