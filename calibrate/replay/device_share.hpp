// What of a program one rank puts on the streams of its device, when every rank is a process with a
// device of its own.
//
// Devices hear of each other only by what they communicate: a transfer is a send on the device of
// its rank and a receive on that of its peer, a collective is on those of all its members, and it
// ends for nobody before all have come. So of an edge X -> Y those wait who have a part in both;
// the others of Y wait with them.
//
// All ranks put their parts in one and the same order of all ops, which dependencies and lanes
// allow. The first op of that order that has not ended waits for nothing but ops before it: nobody
// waits for ever. Messages of one kind between two ranks, and collectives of a group on lanes of
// one kind, have a channel of their own, as channels are used in order.
#pragma once

#include "calibrate/replay/stream_executor.hpp"
#include "calibrate/transport/device_links.hpp"

namespace pipewright::replay {

/// A part of an op.
struct Launch {
  enum class Part : uint8_t { compute, send, receive, collective, nothing };
  OpId op = none;
  Part part = Part::nothing;
  size_t stream = 0;
  size_t channel = 0;           ///< of what communicates
  std::vector<OpId> waits_for;  ///< with parts that were put before, on other streams
};

struct DeviceShare {
  std::vector<Launch> launches;
  std::vector<transport::DeviceChannel> channels;  ///< of all ranks
};

/// `predicted` may be empty; the same on all ranks. Throws Failure for what devices cannot tell
/// each other.
DeviceShare device_share(const Program& program, uint32_t rank, const Timeline& predicted);

/// Puts it on its stream, between two marks.
void put(const Program& program, const Launch& launch, DeviceWork& work, kernels::Streams& streams,
         transport::DeviceLinks& links);

}  // namespace pipewright::replay
