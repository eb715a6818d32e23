// Runs a program on the in-order streams of a device: the same lanes, the same order, the same
// dependencies as the simulator's engine.
//
// Every lane is a stream, and transfers that occupy no lane have one for each kind of message
// between two ranks. One thread hands out all ops in the order in which they were predicted to
// start, far ahead of the device, which waits at marks: before an op for everything that it comes
// after. An op that occupies several lanes runs on the stream of its first. When ops start and end
// is the device's own time.
//
// An order that no stream can follow is found before anything runs, so nothing on the device waits
// for ever. A kernel that never ends is beyond us: the driver's own time limit is what ends it.
#pragma once

#include <span>

#include "calibrate/live/executor/executor.hpp"
#include "kernels/streams.hpp"

namespace pipewright::live {

/// An order of all ops that dependencies and lanes allow, as close to `predicted`, which may be
/// empty, as they do. Throws Failure with the ops that wait for each other when there is none.
std::vector<OpId> launch_order(const Program& program, const Timeline& predicted);

// Marks of a run.
inline constexpr size_t start_of_run = 0;
inline size_t start_mark(OpId op) { return 2 * size_t{op} + 1; }
inline size_t end_mark(OpId op) { return 2 * size_t{op} + 2; }

struct StreamOptions {
  size_t partitions = 1;    ///< of the device; rank r runs on partition r modulo their number
  size_t most_ahead = 256;  ///< ops that the device may be behind
};

/// Spans count from the start of the run. `work` puts an op's work on the selected stream and
/// returns. `predicted` may be empty: then ops start in any order. Throws Failure with the ops that
/// wait for each other when the program cannot end.
Timeline run_streams(const Program& program, DeviceWork& work, kernels::Streams& streams,
                     const Timeline& predicted, const StreamOptions& options = {});

/// Each op by itself: it waits for the one before it. Copy c runs on partition c, and its op starts
/// with those of the other copies. Spans count from the start of the run.
std::vector<Timeline> run_streams_alone(const Program& program, std::span<DeviceWork* const> copies,
                                        kernels::Streams& streams, size_t most_ahead = 256);

/// Compute and communication that keep a stream busy for a given time.
class SpinWork final : public DeviceWork {
 public:
  /// `durations` by op.
  SpinWork(std::vector<Time> durations, kernels::Streams& streams)
      : durations_(std::move(durations)), streams_(streams) {}
  void compute(OpId op) override { streams_.spin(durations_[op]); }
  void communicate(OpId op) override { streams_.spin(durations_[op]); }

 private:
  std::vector<Time> durations_;
  kernels::Streams& streams_;
};

}  // namespace pipewright::live
