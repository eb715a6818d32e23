// The data sheet of a device. What it reaches in practice is a calibration profile's business, not
// this file's.
#pragma once

#include <array>
#include <limits>
#include <optional>
#include <string>

#include "base/units.hpp"
#include "workload/work.hpp"

namespace pipewright {

namespace config {
class Catalogue;
struct Value;
}  // namespace config

enum class DeviceKind : uint8_t { gpu, fpga, cpu };

inline constexpr size_t dtype_count = 6;

/// The power and the price of a device. Zero: not known.
struct OperatingFigures {
  double watts = 0, idle_watts = 0;
  double price_per_hour = 0;  ///< in US dollars
  bool operator==(const OperatingFigures&) const = default;
};

/// What an FPGA computes and keeps weights with.
struct FpgaParts {
  int dsp_slices = 0;
  double clock_hz = 0;
  Bytes on_chip;  ///< block and ultra RAM; weights that fit are read there
  bool operator==(const FpgaParts&) const = default;
};

/// The library whose matrix products a device runs.
enum class MatrixLibrary : uint8_t { cublas, rocblas, xla };

/// One accelerator. What is not given is unbounded (memory, bandwidth) or free (overhead, power,
/// price).
struct Device {
  std::string name;
  std::string description;
  DeviceKind kind = DeviceKind::gpu;
  MatrixLibrary library = MatrixLibrary::cublas;
  /// Dense peak by DType (matrix units where there are any); empty where the device cannot do it or
  /// nobody knows.
  std::array<std::optional<FlopRate>, dtype_count> peak{};
  /// The most that products reach of the peak at a given clock, by DType, where it is less than of
  /// newer matrix units.
  std::array<std::optional<double>, dtype_count> reached{};
  Bytes memory{std::numeric_limits<int64_t>::max()};
  Bandwidth memory_bandwidth{std::numeric_limits<double>::infinity()};
  Time launch_overhead;  ///< the shortest that a kernel can be
  Bandwidth host_bandwidth{
      std::numeric_limits<double>::infinity()};  ///< to the host, each direction
  Time host_latency;
  int copy_engines = 1;  ///< copies that can run beside compute
  int processors = 0;    ///< streaming multiprocessors, compute units; 0 unknown
  Bytes cache;           ///< last level; 0 unknown
  OperatingFigures operating;
  FpgaParts fpga;      ///< of none else
  std::string nccl;    ///< the entry of topologies/nccl by which NCCL or RCCL chooses; empty: none
  std::string source;  ///< where the numbers stand

  bool operator==(const Device&) const = default;
  std::optional<FlopRate> peak_at(DType dtype) const { return peak[static_cast<size_t>(dtype)]; }
};

/// Reads a device: a catalogue name, the path of a YAML file, or a map. One that is changed from a
/// catalogue entry in what decides the time of a kernel is named "NAME (changed)", so that no
/// profile measured on NAME is taken for it.
Device read_device(const config::Value& value, const config::Catalogue& catalogue);

}  // namespace pipewright
