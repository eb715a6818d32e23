// The way in which a caller ends work that it no longer wants.
#pragma once

#include <atomic>
#include <stdexcept>

namespace pipewright {

/// The work ended before its result, because the caller wanted so. It is no Failure: it is no row
/// of a table.
class Stopped : public std::runtime_error {
 public:
  Stopped() : std::runtime_error("stopped") {}
};

/// Throws Stopped once `*stop` is true. Null is never true.
inline void throw_if_stopped(const std::atomic<bool>* stop) {
  if (stop && stop->load(std::memory_order_relaxed)) throw Stopped();
}

}  // namespace pipewright
