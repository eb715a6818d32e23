// Work that runs behind its caller: a device's in-order streams, and marks on them. One thread at a
// time calls.
#pragma once

#include <cstddef>

#include "base/units.hpp"

namespace pipewright::kernels {

/// The time to spin() before a mark that a time counts from: without it the device comes to the
/// mark before the work that is timed has been handed out, and the time has a launch on top.
inline constexpr Time head_start = microseconds(20);

class Streams {
 public:
  virtual ~Streams() = default;

  /// Puts what follows at the end of `stream`, one of `partition`; both count from 0.
  virtual void select(size_t stream, size_t partition) = 0;
  /// Records `mark` at the end of the selected stream.
  virtual void mark(size_t mark) = 0;
  /// Lets what follows on the selected stream start after `mark`, which has been recorded.
  virtual void wait_for(size_t mark) = 0;
  /// The caller waits until `mark` is reached.
  virtual void reach(size_t mark) = 0;
  /// Tells whether `mark`, which has been recorded, is reached; the caller does not wait.
  virtual bool reached(size_t mark) = 0;
  /// Occupies the selected stream for a time, and little else of the device.
  virtual void spin(Time time) = 0;
  /// The caller waits for all streams.
  virtual void drain() = 0;
  /// Returns how long after the mark `from` the mark `to` was reached; both have been.
  virtual Time between(size_t from, size_t to) = 0;
};

}  // namespace pipewright::kernels
