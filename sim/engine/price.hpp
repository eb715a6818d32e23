// The time that each op of a program takes when nothing is shared: compute by a cost model and its
// device, messages by the network.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "network/footprint.hpp"
#include "program/program.hpp"

namespace pipewright {

/// Kernels whose times are off together: products by type, attention.
inline constexpr size_t error_kinds = 7;

/// The uncertainty of a kernel's time.
struct KernelUncertainty {
  std::optional<size_t> kind;  ///< below error_kinds; empty where nobody measured such a kernel
  double error = 0;            ///< standard deviation to expect, relative
  bool extrapolated = false;   ///< beyond what was measured
};

/// The sources of times. All are pure functions.
struct Prices {
  /// One kernel on one device.
  std::function<Time(const Work&, int32_t device)> compute;
  /// How sure that time is; empty where no device was measured.
  std::function<KernelUncertainty(const Work&, int32_t device)> kernel_uncertainty;
  /// Standard deviation to expect of messages and collectives, relative; 0 where nobody measured.
  double network_error = 0;
  /// A message of `bytes` between two different devices.
  std::function<Time(int32_t from, int32_t to, Bytes bytes)> transfer;
  std::function<Time(CollectiveKind, std::span<const int32_t> devices, Bytes bytes)> collective;
  /// A tensor of `bytes` from all of one mesh to all of another, and what of it goes over which
  /// links, by OpType::resharding. Empty where nothing is resharded.
  std::function<Time(uint32_t resharding, Bytes bytes)> reshard;
  std::function<LinkFootprint(uint32_t resharding, Bytes bytes)> reshard_footprint;
  /// Copies between the memories of a device and its host, in either direction.
  std::function<Time(int32_t device, Bytes bytes)> host_copy;
  /// The seconds of those times in which bytes are on links; the rest is latency. Empty: as many as
  /// the links need.
  std::function<double(int32_t from, int32_t to, Bytes bytes)> transfer_moving;
  std::function<double(CollectiveKind, std::span<const int32_t> devices, Bytes bytes)>
      collective_moving;
  /// The share of a device's processors that a collective's channels hold while its bytes move;
  /// empty where nobody knows. With it goes the bandwidth of a device's memory, in bytes/s.
  std::function<double(CollectiveKind, std::span<const int32_t> devices, Bytes bytes)>
      processors_held;
  std::function<double(int32_t device)> memory_bandwidth;
  /// Devices with the same class take the same time for the same work; empty: all the same.
  std::vector<int32_t> device_class;
  /// By device, how many times as long compute takes; empty: nobody is slow.
  std::vector<double> slowdown;
  /// The time that the host takes to start one kernel: an op of many short ones lasts as long as
  /// its host.
  Time host_launch;
  Time host_repeat;  ///< and one more of the same kind
  /// The host waits for each kernel and collective to end before it starts the next.
  bool host_waits = false;
};

/// One duration for each op.
std::vector<Time> price(const Program& program, const Prices& prices);

}  // namespace pipewright
