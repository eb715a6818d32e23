// The results of a run: times, memory, communication, bounds. Computed from a program and a
// timeline, whoever executed it.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "engine/timeline.hpp"
#include "program/program.hpp"
#include "result/accounts/accounts.hpp"
#include "result/accounts/compute_detail.hpp"
#include "result/memory_use.hpp"

namespace pipewright {

/// One pipeline rank; of several replicas the one that ends last.
struct RankResult {
  int rank = 0;
  uint32_t simulated = 0;  ///< its number among the ranks of the program
  std::vector<int> stages;
  std::vector<int32_t> devices;  ///< of all tensor ranks and replicas
  std::vector<int> layers;       ///< of each of its stages; empty for synthetic models
  Time compute, idle, span;
  Breakdown breakdown;            ///< of one iteration
  MemoryUse memory;               ///< at the peak
  std::optional<Bytes> capacity;  ///< of its smallest device
  int peak_in_flight = 0, peak_in_flight_to_weight_gradient = 0;
  int weight_versions = 1, staleness = 0;
};

/// Devices that compute for as long.
struct BusyDevices {
  int32_t device = 0;  ///< one of them
  int64_t count = 1;
  Time computing;  ///< of one iteration
};

struct Communication {
  double bytes = 0;  ///< sent by all devices
  Time time;         ///< in progress, mean over the ranks
};

/// Seconds of the critical path by what ran on it.
struct CriticalPath {
  Time forward, backward, input_gradient, weight_gradient, step, wait;
  std::array<Time, traffic_kinds> communication{};
  std::vector<OpId> ops;  ///< the last first: each started when the next in the list ended
};

/// Times that no order could beat; see bounds().
struct Bounds {
  Time longest_chain, busiest_lane, cut;
  Time best() const { return std::max({longest_chain, busiest_lane, cut}); }
};

/// An asynchronous schedule between the filling and the draining of its pipeline.
struct SteadyState {
  Time period;         ///< of one iteration
  int iterations = 0;  ///< of the run that it was measured in
};

/// The metrics that a timeline alone tells.
struct Metrics {
  Time makespan;
  Time iteration;            ///< one iteration; the steady-state period of an asynchronous schedule
  Window window;             ///< of the run, that it was measured in
  Breakdown breakdown;       ///< of one iteration, the mean over devices
  double idle_fraction = 0;  ///< of the makespan, in which the mean device does not compute
  /// The steady state of an asynchronous schedule, where the run is long enough to show it.
  std::optional<SteadyState> steady;
  Time max_span;
  std::vector<RankResult> ranks;
  std::vector<BusyDevices> busy;  ///< all devices
  std::array<Communication, traffic_kinds> communication{};
  CriticalPath critical_path;
  Bounds bounds;
  ComputeDetail detail;

  /// What the order of the schedule costs: the share of an iteration that the mean device waits for
  /// what others have still to compute.
  double bubble_fraction() const;
};

/// Metrics of `timeline` but for its bounds. `static_memory` has one entry a pipeline rank: what is
/// held all the time. `shares` tells what the ops that compute are made of.
Metrics measure(const Program& program, const Timeline& timeline,
                const schedule::Schedule& schedule, const std::vector<MemoryUse>& static_memory,
                const ComputeShares& shares = SharesByPass{});

/// Adds the bound that shared links set to those of bounds(); every run is held to them.
void add_cut(Time cut, Metrics& metrics);

// --- parts of measure(), each in its own file ---

/// Fills `idle_fraction` and, of the ranks, compute, idle, span, memory and in-flight counts. The
/// makespan is known. `accounts` are by rank of the program. What an op waits for its host is no
/// computing.
void measure_ranks(const Program& program, const Timeline& timeline,
                   const std::vector<MemoryUse>& static_memory,
                   const std::vector<Breakdown>& accounts, const ComputeShares& shares,
                   Metrics& metrics);
void measure_communication(const Program& program, const Timeline& timeline, Metrics& metrics);
CriticalPath critical_path(const Program& program, const Timeline& timeline);
/// The window of one iteration: of the first, to the end of its last op, for synchronous schedules;
/// the steady state of asynchronous ones, as long as its iterations are on the mean.
Window iteration_window(const Program& program, const Timeline& timeline,
                        const schedule::Schedule& schedule);

inline Time iteration_time(const Program& program, const Timeline& timeline,
                           const schedule::Schedule& schedule) {
  return iteration_window(program, timeline, schedule).length;
}

/// Returns when each op would start after what it depends on if every lane were free at all times.
std::vector<Time> chain_starts(const Program& program, const Timeline& timeline);

/// longest_chain: the longest chain of data dependencies, as if every lane were free at all times;
/// `known_chain` where that is known. busiest_lane: the summed length of the ops of one lane. cut:
/// traffic over a cut of the network, zero for networks without contention.
Bounds bounds(const Program& program, const Timeline& timeline,
              std::optional<Time> known_chain = {});

}  // namespace pipewright
