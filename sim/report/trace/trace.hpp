// A run as Chrome trace events, for ui.perfetto.dev and chrome://tracing.
//
// A process is a simulated rank, a thread one of its streams: compute, the collectives of tensor
// and of data parallelism, and what it sends to each peer. Transfers that hold no stream may
// overlap; then the sends to one peer take several threads, as few as will do. Ops that take no
// time (markers, free transfers) are left out, so that no two slices of a thread overlap. An arrow
// leads from the pass that made a message over its transfer to the pass that took it. The counter
// "device memory" follows what each rank holds. The counters "account: ..." have the parts of one
// iteration of each rank, in microseconds, for as long as what they were taken over; they add up to
// the iteration.
//
// The metadata names the schema "pipewright.trace/1", and each process its run and its place in the
// grid: 'diagnose' reads the trace by these (interop/run_trace).
#pragma once

#include <ostream>
#include <span>
#include <string>

#include "result/run_result.hpp"

namespace pipewright {

/// This writes the trace of one run.
void write_trace(const Run& run, std::ostream& out);

/// One of several runs that are shown one below the other.
struct TracedRun {
  const Run& run;
  std::string name;  ///< stands before those of its ranks
};

/// This writes several runs as one trace. Each run has processes of its own: "1f1b measured, rank
/// 0".
void write_trace(std::span<const TracedRun> runs, std::ostream& out);

}  // namespace pipewright
