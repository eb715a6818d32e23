// Conditions that a calibration saw beyond kernels that run alone and warm: kernels beside copies
// or collectives, operands in no cache, the clock while it ran, one core or device beside the
// other.
#pragma once

#include <string>
#include <vector>

#include "config/value.hpp"

namespace pipewright {

/// A kernel alone, and while bytes moved on the same device.
struct BesideTime {
  std::string kernel;  ///< with its shape, as "gemm forward fp32 m=512 n=512 k=512"
  std::string what;    ///< "copy", or the collective
  int channels = 1;    ///< threads or streams that moved bytes
  double alone_s = 0, beside_s = 0;
  double bytes_per_s = 0;   ///< moved meanwhile, counted once
  double memory_share = 0;  ///< of the time alone that the kernel's bytes need at full bandwidth

  double slowdown() const { return beside_s / alone_s; }
};

struct CacheTime {
  std::string kernel;
  double hot_s = 0, cold_s = 0;
};

/// The state of the machine from the first measurement to the last.
struct Steadiness {
  double first_clock_hz = 0, last_clock_hz = 0;  ///< 0 where nobody tells
  double slowdown = 1;  ///< of one product, measured last over measured first
  double stolen = 0;    ///< share of the processors' time that a hypervisor gave to others
  double load = 0;      ///< runnable threads for each core, when it began
  std::string held;     ///< why a GPU's clocks are held down, as its driver says; or empty

  /// Returns why the figures are not to be trusted, in words joined by +; empty when nothing speaks
  /// against them.
  std::string verdict() const;
};

/// One product on each core or device in turn, relative to the median of them.
struct RankSpread {
  int ranks = 0;
  double mean = 1, slowest = 1;
};

struct Conditions {
  double launch_s = 0;            ///< to hand over the smallest kernel
  double first_allocation_s = 0;  ///< of 16 MiB, touched
  double next_allocation_s = 0;   ///< of as much again after it was freed
  std::vector<BesideTime> beside;
  std::vector<CacheTime> cache;
  Steadiness steadiness;
  RankSpread spread;

  /// The share of its rate that a product loses beside moving bytes to neither its processors nor
  /// the memory's bandwidth (caches, clocks): 1 - measured / min(1, (1 - 2 s / b) / h), s bytes/s
  /// copied, b the memory's bandwidth, h the product's memory_share; the median, at least 0. Where
  /// collectives were measured they alone count, and each of their channels is taken to hold one
  /// of the device's `processors`: of the minimum's 1 is left 1 - channels / processors.
  double lost_beside(double memory_bandwidth, int processors) const;
};

inline constexpr int conditions_version = 1;

/// Reads what to_value() writes; refuses versions that it does not know. Throws InputError.
Conditions read_conditions(const config::Value& value);
config::Value to_value(const Conditions& conditions);

/// A few lines for people.
std::string describe(const Conditions& conditions);
std::string describe(const std::vector<BesideTime>& beside);

}  // namespace pipewright
