// A trace experiment: the ranks' own ops in place of a schedule.
#pragma once

#include "engine/price.hpp"
#include "engine/timeline.hpp"
#include "experiment/experiment.hpp"
#include "interop/goal.hpp"
#include "machine/machine.hpp"
#include "result/run_result.hpp"
#include "topology/topology.hpp"

namespace pipewright {

struct TraceRun {
  Program program;  ///< as it ran: lanes in order, every receiver bound to its message
  std::vector<Time> durations;
  Timeline timeline;
  Time cut;  ///< all bytes over the busiest link at its capacity; zero where none is shared
  double wall_s = 0;  ///< program to timeline
};

/// Throws InputError for what check() refuses, for a message whose receiver, found in the run,
/// expects another size, for a deadlock, with its cycle, and for times beyond the clock. `prices`
/// must know a device for each rank. Messages share the links of `shared`, where that is given.
TraceRun run_trace(const goal::Goal& goal, const Prices& prices, const Topology* shared = nullptr);

/// One iteration without orders, for measure().
schedule::Schedule schedule_of_trace(size_t ranks);

/// The trace that an experiment names. Throws InputError, also where its cluster has fewer devices
/// than the trace has ranks. What gives no time takes what the machine's devices need for it.
goal::Goal read_trace_file(const Experiment& experiment, const Machine& machine);

Run run_trace_experiment(const Experiment& experiment, const config::Catalogue& catalogue);

}  // namespace pipewright
