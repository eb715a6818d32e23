#include "run/result_of.hpp"

#include <algorithm>

#include "run/compute_detail.hpp"
#include "run/do_both.hpp"
#include "run/link_use.hpp"
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
  result.fit.device_memory = prepared.devices.memory;
  for (RankResult& rank : result.metrics.ranks) {
    for (const int stage : rank.stages)
      if (!prepared.work.layers.empty()) rank.layers.push_back(prepared.work.layers[stage]);
    if (prepared.devices.memory && rank.memory.total() > *prepared.devices.memory)
      result.fit.feasible = false;
  }
}

/// Takes over what training goes on with, where the run at hand ends too early to show it.
void take_steady_state(const Metrics& longer_run, Metrics& metrics) {
  metrics.iteration = longer_run.iteration;
  metrics.steady = longer_run.steady;
  metrics.breakdown = longer_run.breakdown;
  metrics.detail = longer_run.detail;
  for (size_t rank = 0; rank < metrics.ranks.size(); ++rank) {
    RankResult& here = metrics.ranks[rank];
    const RankResult& there = longer_run.ranks[rank];
    here.memory.activations = there.memory.activations;
    here.breakdown = there.breakdown;
    here.peak_in_flight = there.peak_in_flight;
    here.peak_in_flight_to_weight_gradient = there.peak_in_flight_to_weight_gradient;
  }
}

/// The busiest links, by what the run laid on them or, where nobody knows, by their data sheets.
std::vector<LinkUse> links_of(const Prepared& prepared, const Executed& executed, const Run& run) {
  const Topology& topology = *prepared.topology;
  if (!executed.bytes_by_link.empty())
    return busiest_links(topology, executed.bytes_by_link, run.result.metrics.makespan);
  const Mirror mirror = mirror_of(prepared.grid, executed.folding);
  return busiest_links(topology, bytes_by_link(run.program, topology, prepared.prices, mirror),
                       run.result.metrics.makespan);
}

}  // namespace

Metrics metrics_of(const Prepared& prepared, const Program& program, const Timeline& timeline,
                   Detail detail) {
  const PricedShares shares(program, prepared.prices);
  Metrics metrics =
      measure(program, timeline, prepared.schedule, prepared.work.static_memory, shares);
  if (detail == Detail::everything) add_compute_detail(prepared, program, timeline, metrics);
  return metrics;
}

Run result_of(const Prepared& prepared, Executed executed, const Metrics* longer_run,
              Detail detail) {
  Run run;
  run.program = std::move(executed.program);
  run.timeline = std::move(executed.timeline);
  run.schedule = prepared.schedule;
  run.result.experiment = prepared.record.resolved;
  run.result.provenance = prepared.record.provenance;
  run.result.schedule = prepared.schedule_name;
  run.result.fit.suits_devices = prepared.devices.suit_schedule;
  run.result.notes = prepared.record.notes;
  run.result.notes.insert(run.result.notes.end(), executed.notes.begin(), executed.notes.end());
  run.result.synchronous = run.schedule.synchronous;
  Metrics& metrics = run.result.metrics;
  Bounds bounds;
  do_both(
      run.program.ops.size(),
      [&] {
        metrics =
            metrics_of(prepared, run.program, run.timeline, longer_run ? Detail::numbers : detail);
      },
      [&] { bounds = pipewright::bounds(run.program, run.timeline); });
  metrics.bounds = bounds;
  add_cut(executed.cut, metrics);
  for (RankResult& rank : metrics.ranks) {
    rank.weight_versions = prepared.versions[static_cast<size_t>(rank.rank)].held;
    rank.staleness = prepared.versions[static_cast<size_t>(rank.rank)].staleness;
  }
  if (longer_run) take_steady_state(*longer_run, metrics);
  add_devices(prepared.grid, metrics.ranks);
  if (prepared.topology && detail == Detail::everything)
    run.result.links = links_of(prepared, executed, run);
  add_memory(prepared, run.result);
  add_rates(prepared, run.result);
  return run;
}

}  // namespace pipewright
