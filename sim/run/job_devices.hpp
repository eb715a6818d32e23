// The devices that take part in a job, each with figures of its own.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "machine/machine.hpp"

namespace pipewright {

struct JobDevices {
  std::vector<int32_t> numbers;    ///< in the cluster
  std::optional<Machine> machine;  ///< that they belong to
  DType precision = DType::bf16;   ///< that the job computes in
  bool suit_schedule = true;       ///< they can do what the schedule asks of them

  int count() const { return static_cast<int>(numbers.size()); }
  /// Returns a device by its number in the cluster; nullptr where nothing says what it is.
  const Device* device(int32_t number) const { return machine->device(number); }
  /// Returns what they are called, "a100-sxm-80g" or "a100-sxm-80g and h100-sxm" whatever their
  /// order; empty where nothing says what they are.
  std::string name() const;
  /// Returns the capacity of the smallest of `devices`; empty where it is not known.
  std::optional<Bytes> memory(std::span<const int32_t> devices) const {
    return machine->memory(devices);
  }
  /// Returns what all together can do in a second at the job's precision; 0 where one does not say.
  double peak_flops_per_s() const;
  /// Returns what an hour of all together costs in US dollars, the whole of every node that is
  /// rented whole; 0 where one has no price.
  double price_per_hour() const;
};

}  // namespace pipewright
