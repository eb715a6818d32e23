// What a profiler saw on one rank, whichever wrote it: what ran on the device, the calls that
// launched it, and the ranges of the host that say of which step and pass it is.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/units.hpp"

namespace pipewright {

enum class EventCategory : uint8_t {
  kernel,
  copy,              ///< a copy or a filling of memory
  launch,            ///< a call of the runtime or driver
  step,              ///< a step, on the host
  optimizer_range,   ///< the host launches an optimizer
  backward_range,    ///< the host launches a backward pass, or a part of it
  collective_range,  ///< the host asks for a collective; readers keep none
  backward_hook,     ///< the host does what belongs to a backward pass, after autograd's functions
  pipeline_action    ///< the host runs what its name says of a pipeline (pipeline_actions.hpp)
};

/// One of several messages that a kernel moves at once.
struct ProfiledMessage {
  bool sent = false;  ///< or received
  int32_t peer = -1;  ///< the other rank of the job; -1: it does not say
  int64_t bytes = 0;
  auto operator<=>(const ProfiledMessage&) const = default;
};

/// What a kernel of NCCL says of itself; empty and zero where it does not.
struct ProfiledCollective {
  std::string name;                       ///< "allreduce", "_allgather_base", "send"
  std::string group;                      ///< "7"
  std::string description;                ///< "TENSOR_MODEL_PARALLEL_GROUP", "mesh_dp_shard"
  std::string ranks;                      ///< "[0, 8, 16]"
  int32_t size = 0;                       ///< of the group
  int64_t bytes = 0;                      ///< that this rank puts in
  int64_t received = 0;                   ///< that it gets
  int32_t peer = -1;                      ///< of a message: the other rank of the job
  std::vector<ProfiledMessage> messages;  ///< that it moves, where they are several

  /// Whether it says anything of the group.
  bool names_group() const {
    return size > 0 || !group.empty() || !description.empty() || !ranks.empty();
  }
  auto operator<=>(const ProfiledCollective&) const = default;
};

struct ProfiledEvent {
  EventCategory category = EventCategory::kernel;
  uint32_t name = 0;  ///< place in RankProfile::names
  Time start, duration;
  int64_t thread = 0;       ///< of what runs on the host
  int64_t correlation = 0;  ///< joins a launch and what it launched; 0: none
  int32_t stream = -1;      ///< of what runs on the device
  int32_t collective = -1;  ///< place in RankProfile::collectives; -1: none
  int32_t number = 0;       ///< of a step

  Time end() const { return start + duration; }
};

struct RankProfile {
  std::string file;
  int rank = -1, world = -1;  ///< -1: it does not say
  std::string host;           ///< the name of its node; empty: it does not say
  double begin_us = 0;        ///< the time from which events count, on the rank's clock
  std::vector<std::string> names;
  std::vector<ProfiledCollective> collectives;
  std::vector<ProfiledEvent> events;

  const std::string& name(const ProfiledEvent& event) const { return names[event.name]; }
  /// The same of the collective at a place; -1: none.
  bool names_group(int32_t place) const {
    return place >= 0 && collectives[static_cast<size_t>(place)].names_group();
  }
};

/// A profile may have so many events.
inline constexpr size_t most_profiled_events = size_t{64} << 20;

}  // namespace pipewright
