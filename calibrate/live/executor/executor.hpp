// Runs a program live: the same lanes, the same order, the same dependencies as the simulator's
// engine, on threads and a real clock.
//
// Every lane that has ops is a thread that runs them in order. Transfers that occupy no lane are
// run by one more thread for each sending rank, in the order in which they become ready. An op that
// occupies several lanes is run by the thread of its first lane while the others wait for it.
#pragma once

#include <chrono>

#include "engine/timeline.hpp"
#include "program/program.hpp"

namespace pipewright::live {

class Payloads;
class NumberExchange;

/// The work that the ops do. Called from many threads; each op once.
struct DeviceWork {
  virtual ~DeviceWork() = default;
  virtual void compute(OpId op) = 0;
  /// A transfer or a collective.
  virtual void communicate(OpId op) = 0;
  /// Tells whether compute() keeps a core busy.
  virtual bool occupies_core() const { return true; }
  /// Returns the payloads, in place of communicate() where ranks are processes; null: bytes that do
  /// not matter.
  virtual Payloads* payloads() { return nullptr; }
  /// Returns the exchange, in place of communicate() where each rank has a device; null: as above.
  virtual NumberExchange* number_exchange() { return nullptr; }
};

/// Runs one op on the calling thread.
void perform(const Program& program, OpId op, DeviceWork& work);

struct ExecutorOptions {
  /// A run in which no op ends for this long is stuck.
  std::chrono::milliseconds watchdog{10'000};
};

/// Spans count from the start of the run. Throws Failure with the ops that ranks wait for when the
/// watchdog ends a stuck run, and what() of the first exception that an op threw.
Timeline run_live(const Program& program, DeviceWork& work, const ExecutorOptions& options = {});

/// Ops become ready when the last of what they depend on has ended.
void fill_ready(const Program& program, Timeline& timeline);

}  // namespace pipewright::live
