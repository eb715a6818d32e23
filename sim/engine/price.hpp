// The time that each op of a program takes when nothing is shared: compute by a cost model and its
// device, messages by the network.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/price_source.hpp"

namespace pipewright {

/// The host's part in starting kernels: a pass of many short ones lasts as long as its host.
struct HostTimes {
  Time launch;         ///< to start one kernel
  Time repeat;         ///< and one more of the same kind
  Time part;           ///< beside each product of a grouped one: what its weight takes in Python
  Time collective;     ///< to start a collective
  Time check;          ///< to compare a collective with other ranks before it
  Time check_rank;     ///< and with each of them
  bool waits = false;  ///< for each kernel and collective to end before it starts the next
  bool stops = false;  ///< waits after each pass for the device to end it
  /// All passes of an iteration are one CUDA graph, and what follows them is none.
  bool captured_passes = false;

  /// To start a CUDA graph of a module, with what Python does around it: as long as some kernels
  /// (machine/host_times.cpp).
  Time graph() const { return seconds(2.75 * in_seconds(launch)); }
  /// To compare a collective of `ranks` before it.
  Time checks(size_t ranks) const {
    return check + static_cast<int64_t>(ranks > 0 ? ranks - 1 : 0) * check_rank;
  }
  /// To start a collective of `ranks` in a pass, which kernels follow.
  Time starts(size_t ranks) const {
    if (captured_passes) return {};
    return (waits ? launch : collective) + checks(ranks);
  }
};

/// The times of a job: where they come from, and how its devices differ.
struct Prices {
  /// Null where only links count, as their data sheets say.
  std::shared_ptr<const PriceSource> source;
  std::shared_ptr<const ReshardingPrices> resharding;  ///< null where nothing is resharded
  std::shared_ptr<const DeviceLoad> device_load;       ///< null where nobody knows
  std::shared_ptr<const KernelTrust> kernel_trust;     ///< null where no device was measured
  /// Devices with the same class take the same time for the same work; empty: all the same.
  std::vector<int32_t> device_class;
  /// By device, how many times as long compute takes; empty: nobody is slow.
  std::vector<double> slowdown;
  HostTimes host;
  /// The most nodes over which somebody measured the network; 0 where nobody did.
  int measured_nodes = 0;

  Time compute(const Work& work, int32_t device) const { return source->compute(work, device); }
  Time transfer(int32_t from, int32_t to, Bytes bytes) const {
    return source->transfer(from, to, bytes);
  }
  Time collective(CollectiveKind kind, std::span<const int32_t> devices, Bytes bytes) const {
    return source->collective(kind, devices, bytes);
  }
  int32_t class_of(int32_t device) const {
    return device_class.empty() ? 0 : device_class[static_cast<size_t>(device)];
  }
  double slowdown_of(int32_t device) const {
    return slowdown.empty() ? 1 : slowdown[static_cast<size_t>(device)];
  }
};

/// One duration for each op.
std::vector<Time> price(const Program& program, const Prices& prices);

/// Lengthens what device d computes in `durations` to `slowdown[d]` times as long; empty: nobody is
/// slow.
void slow_down(const Program& program, const std::vector<double>& slowdown,
               std::vector<Time>& durations);

}  // namespace pipewright
