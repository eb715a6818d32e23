// A trace, run: what a trace experiment is apart from its files.
#pragma once

#include "engine/price.hpp"
#include "engine/timeline.hpp"
#include "interop/goal.hpp"

namespace pipewright {

struct TraceRun {
  Program program;  ///< as it ran: lanes in order, every receiver bound to its message
  std::vector<Time> durations;
  Timeline timeline;
  schedule::Schedule schedule;  ///< one iteration without orders, for measure()
};

/// Throws InputError for what check() refuses, for a message whose receiver, found in the run,
/// expects another size, for a deadlock, with its cycle, and for times beyond the clock. `prices`
/// must know a device for each rank.
TraceRun run_trace(const goal::Goal& goal, const Prices& prices);

}  // namespace pipewright
