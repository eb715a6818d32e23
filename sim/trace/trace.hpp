// A trace experiment: the ranks' own ops in place of a schedule.
#pragma once

#include <optional>

#include "engine/packet_plan.hpp"
#include "engine/price.hpp"
#include "engine/timeline.hpp"
#include "experiment/experiment.hpp"
#include "interop/goal.hpp"
#include "machine/machine.hpp"
#include "result/run_result.hpp"
#include "run/prepared.hpp"
#include "topology/topology.hpp"

namespace pipewright {

/// The links that the messages of a trace meet on.
struct TraceLinks {
  const Topology* topology = nullptr;  ///< null: they share none
  Spreading spreading;                 ///< over routes of equal cost between nodes
  std::optional<PacketLinks> packets;  ///< nodes send each other packets
};

struct TraceRun {
  Program program;  ///< as it ran: lanes in order, every receiver bound to its message
  std::vector<Time> durations;
  Timeline timeline;
  Time cut;  ///< all bytes over the busiest link at its capacity; zero where none is shared
  double wall_s = 0;                    ///< program to timeline
  std::optional<PacketCounts> packets;  ///< where nodes sent each other packets
};

/// Throws InputError for what check() refuses, for a message whose receiver, found in the run,
/// expects another size, for a deadlock, with its cycle, and for times beyond the clock. `prices`
/// must know a device for each rank.
TraceRun run_trace(const goal::Goal& goal, const Prices& prices, const TraceLinks& links = {});

/// One iteration without orders, for measure().
schedule::Schedule schedule_of_trace(size_t ranks);

/// The trace that an experiment names. Throws InputError, also where its cluster has fewer devices
/// than the trace has ranks. What gives no time takes what the machine's devices need for it.
goal::Goal read_trace_file(const Experiment& experiment, const Machine& machine);

/// `options.seed` is that of the first routes and packets that are drawn.
Run run_trace_experiment(const Experiment& experiment, const config::Catalogue& catalogue,
                         const RunOptions& options);

}  // namespace pipewright
