#include "run/result_of.hpp"

#include <algorithm>

#include "base/progress.hpp"
#include "base/required.hpp"
#include "base/stop.hpp"
#include "result/fit.hpp"
#include "result/measure_times.hpp"
#include "run/compute_detail.hpp"
#include "run/do_both.hpp"
#include "run/fixed_routes.hpp"
#include "run/link_use.hpp"
#include "run/outer_period.hpp"
#include "run/oversubscription.hpp"
#include "run/prepared.hpp"
#include "run/priced_shares.hpp"
#include "run/rates.hpp"
#include "run/shared_links.hpp"

namespace pipewright {
namespace {

void add_devices(const Grid& grid, std::vector<RankResult>& ranks) {
  for (RankResult& rank : ranks) {
    rank.devices = grid.mesh(rank.rank).devices;
    std::sort(rank.devices.begin(), rank.devices.end());
  }
}

void add_memory(const Prepared& prepared, RunResult& result) {
  for (RankResult& rank : result.metrics.ranks) {
    for (const int stage : rank.stages)
      if (!prepared.work.layers.empty()) rank.layers.push_back(prepared.work.layers[stage]);
    rank.capacity = prepared.devices.memory(rank.devices);
  }
  add_fit(result);
}

/// Takes over what training goes on with, where the run at hand ends too early to show it.
void take_steady_state(const Metrics& longer_run, Metrics& metrics) {
  metrics.iteration = longer_run.iteration;
  metrics.steady = longer_run.steady;
  metrics.breakdown = longer_run.breakdown;
  metrics.detail = longer_run.detail;
  metrics.busy = longer_run.busy;
  for (size_t rank = 0; rank < metrics.ranks.size(); ++rank) {
    RankResult& here = metrics.ranks[rank];
    const RankResult& there = longer_run.ranks[rank];
    here.memory.activations = there.memory.activations;
    here.breakdown = there.breakdown;
    here.peak_in_flight = there.peak_in_flight;
    here.peak_in_flight_to_weight_gradient = there.peak_in_flight_to_weight_gradient;
  }
}

/// Adds the busiest links, by what the run laid on them or, where nobody knows, by their data
/// sheets, and why an oversubscribed fabric is none of them or some uplinks are none.
void add_links(const Prepared& prepared, const Executed& executed, Run& run) {
  const Topology& topology = required(prepared.links.topology, "the links of a job");
  const Time makespan = run.result.metrics.makespan;
  const LinkBytes bytes =
      executed.bytes
          ? *executed.bytes
          : bytes_by_link(run.program, prepared.prices, mirror_of(prepared.grid, executed.folding),
                          *counted_links(prepared, executed.folding));
  run.result.links = busiest_links(topology, bytes, makespan);
  const Machine& machine = required(prepared.devices.machine, "a job has a machine");
  std::string why = why_oversubscription_is_idle(machine.oversubscription(), prepared.links.shared,
                                                 topology, bytes, makespan);
  if (!why.empty()) run.result.notes.push_back(std::move(why));
  if (!prepared.links.shared || prepared.links.spreading.how != Spreading::How::first) return;
  std::string where = where_routes_pile_up(topology, bytes, makespan);
  if (!where.empty()) run.result.notes.push_back(std::move(where));
}

}  // namespace

Metrics metrics_of(const Prepared& prepared, const Program& program, const Timeline& timeline,
                   Detail detail) {
  const PricedShares shares(program, prepared.prices);
  Metrics metrics = (detail == Detail::times ? measure_times : measure)(
      program, timeline, prepared.schedule, prepared.work.static_memory, shares);
  if (detail == Detail::everything) add_compute_detail(prepared, program, timeline, metrics);
  return metrics;
}

Run result_of(const Prepared& prepared, Executed executed, const Metrics* longer_run,
              Detail detail) {
  begin_step("measuring");
  Run run;
  run.program = std::move(executed.program);
  run.timeline = std::move(executed.timeline);
  run.schedule = prepared.schedule;
  run.result.experiment = prepared.record.resolved;
  run.result.parameters = prepared.record.parameters;
  run.result.provenance = prepared.record.provenance;
  run.result.schedule = prepared.schedule_name;
  run.result.fit.suits_devices = prepared.devices.suit_schedule;
  const int there = required(prepared.devices.machine, "a job has a machine").device_count();
  run.result.devices = {prepared.devices.count(), there - prepared.devices.count()};
  run.result.notes = prepared.record.notes;
  run.result.notes.insert(run.result.notes.end(), executed.notes.begin(), executed.notes.end());
  run.result.synchronous = run.schedule.synchronous;
  Metrics& metrics = run.result.metrics;
  Bounds bounds;
  do_both(
      run.program.ops.size(),
      [&] {
        metrics = metrics_of(prepared, run.program, run.timeline,
                             longer_run ? std::min(detail, Detail::numbers) : detail);
      },
      [&] {
        if (detail != Detail::times)
          bounds = pipewright::bounds(run.program, run.timeline, executed.longest_chain);
      });
  stop_here();
  metrics.bounds = bounds;
  add_cut(executed.cut, metrics);
  for (RankResult& rank : metrics.ranks) {
    rank.weight_versions = prepared.versions[static_cast<size_t>(rank.rank)].held;
    rank.staleness = prepared.versions[static_cast<size_t>(rank.rank)].staleness;
  }
  stop_here();
  if (longer_run) take_steady_state(*longer_run, metrics);
  if (prepared.long_run.outer) run.result.outer = add_outer_steps(prepared, metrics);
  add_devices(prepared.grid, metrics.ranks);
  if (prepared.links.topology && detail == Detail::everything) add_links(prepared, executed, run);
  add_memory(prepared, run.result);
  add_rates(prepared, run.result);
  return run;
}

}  // namespace pipewright
