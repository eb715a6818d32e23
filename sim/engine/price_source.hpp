// The sources of times, which know what devices and links are. All members are pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "network/footprint.hpp"
#include "network/resharding/messages.hpp"
#include "program/program.hpp"

namespace pipewright {

/// The times of single kernels, messages, collectives and copies while nothing is shared.
class PriceSource {
 public:
  virtual ~PriceSource() = default;
  /// Returns the time of one kernel on one device.
  virtual Time compute(const Work& work, int32_t device) const = 0;
  /// Returns the time of a message between two different devices.
  virtual Time transfer(int32_t from, int32_t to, Bytes bytes) const = 0;
  virtual Time collective(CollectiveKind kind, std::span<const int32_t> devices,
                          Bytes bytes) const = 0;
  /// Returns the time of a copy between the memories of a device and its host, in either direction.
  virtual Time host_copy(int32_t device, Bytes bytes) const = 0;
  /// Returns the seconds of a message in which bytes are on links; the rest is latency. Empty: as
  /// many as the links need.
  virtual std::optional<double> transfer_moving(int32_t, int32_t, Bytes) const { return {}; }
  /// Returns the same of a collective.
  virtual std::optional<double> collective_moving(CollectiveKind, std::span<const int32_t>,
                                                  Bytes) const {
    return {};
  }
};

/// Tensors that all devices of one mesh send to all of another, by OpType::resharding.
class ReshardingPrices {
 public:
  virtual ~ReshardingPrices() = default;
  virtual Time time(uint32_t resharding, Bytes bytes) const = 0;
  virtual LinkFootprint footprint(uint32_t resharding, Bytes bytes) const = 0;
  /// Returns the messages between devices that carry it.
  virtual std::vector<resharding::Message> messages(uint32_t resharding, Bytes bytes) const = 0;
};

/// What collectives take of the devices that they join while their bytes move.
class DeviceLoad {
 public:
  virtual ~DeviceLoad() = default;
  /// Returns the share of a device's processors that the channels hold; nothing where nobody
  /// measured the collectives of a member.
  virtual std::optional<double> processors_held(CollectiveKind kind,
                                                std::span<const int32_t> devices,
                                                Bytes bytes) const = 0;
  /// Returns the bandwidth of a device's memory, in bytes/s.
  virtual double memory_bandwidth(int32_t device) const = 0;
};

/// Kernels whose times are off together: products by type, attention.
inline constexpr size_t error_kinds = 7;

/// The uncertainty of a kernel's time.
struct KernelUncertainty {
  std::optional<size_t> kind;  ///< below error_kinds; empty where nobody measured such a kernel
  double error = 0;            ///< standard deviation to expect, relative
  bool extrapolated = false;   ///< beyond what was measured
};

/// How sure the times of kernels are.
class KernelTrust {
 public:
  virtual ~KernelTrust() = default;
  virtual KernelUncertainty of(const Work& work, int32_t device) const = 0;
};

}  // namespace pipewright
