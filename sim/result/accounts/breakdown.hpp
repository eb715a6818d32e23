// Where the time of a device goes: every picosecond is in exactly one place.
#pragma once

#include <array>
#include <span>

#include "program/program.hpp"

namespace pipewright {

/// What a device computes.
enum class ComputeKind : uint8_t {
  forward,
  backward,
  input_gradient,
  weight_gradient,
  recompute,
  optimizer,
  other,
};
inline constexpr int compute_kinds = 7;

/// The parts of a span of time of one device, or the mean over devices.
struct Breakdown {
  std::array<Time, compute_kinds> compute{};
  /// Nothing is computed, and communication that the next compute depends on is under way.
  std::array<Time, traffic_kinds> exposed{};
  Time host;    ///< waits for the host to start kernels
  Time bubble;  ///< waits for what other ranks have still to compute

  Time computing() const;
  Time communicating() const;
  Time total() const { return computing() + communicating() + host + bubble; }

  /// Adds `times` what `other` has.
  void add(const Breakdown& other, int64_t times);

  Time& operator[](ComputeKind kind) { return compute[static_cast<size_t>(kind)]; }
  Time& operator[](Traffic kind) { return exposed[static_cast<size_t>(kind)]; }
  bool operator==(const Breakdown&) const = default;
};

/// "forward", "input_gradient", ...
const char* name_of(ComputeKind kind);

/// A breakdown that counts `weight` times in a mean.
struct WeighedBreakdown {
  Breakdown breakdown;
  int64_t weight = 1;
};

/// Returns the weighed mean. All of `parts` have the same total, which the mean has too: what is
/// lost by rounding down goes to the parts that lost most.
Breakdown mean(std::span<const WeighedBreakdown> parts);

/// Returns `breakdown` stretched or shrunk to the total `to`, rounded as mean() is. A breakdown
/// without length becomes bubble.
Breakdown scaled(const Breakdown& breakdown, Time to);

}  // namespace pipewright
