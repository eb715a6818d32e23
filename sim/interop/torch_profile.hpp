// Traces of the PyTorch profiler (Kineto's Chrome trace, JSON, also packed by gzip), one rank a
// file.
//
// Read as a stream: one event is held at a time, and of all events only those that a diagnosis
// looks at: what runs on the device, the calls that launch it, ranges of users and of the autograd
// engine. Times are microseconds on the rank's clock, kept from the first event on, because those
// of some releases count from 1970 and no Time holds them. Names and arguments of NCCL's kernels
// are those that PyTorch writes from 2.1 on ("Collective name", "In msg nelems", "Process Group
// Ranks", ...); older traces have the names of kernels only.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/units.hpp"

namespace pipewright {

enum class TorchCategory : uint8_t {
  kernel,
  copy,            ///< a copy or a filling of memory
  launch,          ///< a call of the runtime or driver
  range,           ///< of a user, on the host: ProfilerStep#7, Optimizer.step#Adam.step
  backward_range,  ///< the autograd engine runs a function
};

/// What a kernel of NCCL says of itself; empty and zero where it does not.
struct TorchCollective {
  std::string name;         ///< "allreduce", "_allgather_base", "send"
  std::string group;        ///< "7"
  std::string description;  ///< "TENSOR_MODEL_PARALLEL_GROUP", "mesh_dp_shard"
  std::string ranks;        ///< "[0, 8, 16]"
  int32_t size = 0;         ///< of the group
  int64_t bytes = 0;        ///< that this rank puts in

  auto operator<=>(const TorchCollective&) const = default;
};

struct TorchEvent {
  TorchCategory category = TorchCategory::kernel;
  uint32_t name = 0;  ///< place in TorchProfile::names
  Time start, duration;
  int64_t thread = 0;       ///< of what runs on the host
  int64_t correlation = 0;  ///< joins a launch and what it launched; 0: none
  int32_t stream = -1;      ///< of what runs on the device
  int32_t collective = -1;  ///< place in TorchProfile::collectives; -1: none

  Time end() const { return start + duration; }
};

struct TorchProfile {
  std::string file;
  int rank = -1, world = -1;  ///< -1: it does not say
  double begin_us = 0;        ///< the start of the first event on the rank's clock
  std::vector<std::string> names;
  std::vector<TorchCollective> collectives;
  std::vector<TorchEvent> events;  ///< in the order of the file

  const std::string& name(const TorchEvent& event) const { return names[event.name]; }
};

/// Throws InputError for what is no such trace or is cut off, with the line where that shows.
TorchProfile read_torch_profile(const std::string& file);

}  // namespace pipewright
