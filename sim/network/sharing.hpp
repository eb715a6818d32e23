// How transfers that are in flight at the same time slow each other down.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/units.hpp"

namespace pipewright {

/// Bytes on their way over links, each of which is a number that the sharing model knows.
struct Flow {
  uint32_t id = 0;  ///< the caller's; two that end together are reported in its order
  std::span<const uint32_t> links;  ///< each at most once; read by add() only
  Bytes bytes;
  double weight = 1;  ///< of two flows held up by one link, twice the weight gets twice the rate
  double cap = std::numeric_limits<double>::infinity();  ///< bytes/s it can use at most
  int priority = 0;      ///< the higher one takes what it can before the lower one gets anything
  int multiplicity = 1;  ///< stands for so many flows over the same links, each of `bytes`
  /// The number of instances that cross each link, where those are not equally many; else empty.
  std::span<const int> multiplicities = {};
};

/// Rates are constant between two changes, so a model only says when the next flow ends: whoever
/// asks again after adding a flow gets the new answer, and nothing is ever cancelled. Time never
/// goes back, nor past next_completion() without pop_completed().
struct SharingModel {
  virtual ~SharingModel() = default;
  virtual void add(const Flow& flow, Time now) = 0;
  /// longest_time when nothing is in flight, or only flows that get nothing.
  virtual Time next_completion() const = 0;
  /// Appends the ids of the flows that end at or before `now`, by time, then by id.
  virtual void pop_completed(Time now, std::vector<uint32_t>& ids) = 0;
};

}  // namespace pipewright
