// The part of a program that one rank puts on the streams of its device, when every rank is a
// process with a device of its own.
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

#include "calibrate/live/executor/stream_executor.hpp"
#include "calibrate/transport/device_links.hpp"

namespace pipewright::live {

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
/// each other, the same for every rank.
DeviceShare device_share(const Program& program, uint32_t rank, const Timeline& predicted);

/// The payloads that links carry for an op, put on the selected stream.
class DevicePayloads {
 public:
  virtual ~DevicePayloads() = default;
  /// Puts a send, a receive or a collective on its stream.
  virtual void put(const Launch& launch) = 0;
};

/// Sends as many bytes as the program says, whatever they are.
class DummyDevicePayloads final : public DevicePayloads {
 public:
  DummyDevicePayloads(const Program& program, transport::DeviceLinks& links)
      : program_(program), links_(links) {}
  void put(const Launch& launch) override;

 private:
  const Program& program_;
  transport::DeviceLinks& links_;
};

/// Throws Failure for collectives that are no ring's, for which there are no dummy payloads.
void require_dummy_payloads(const Program& program);

/// Puts it on its stream, between two marks.
void put(const Launch& launch, DeviceWork& work, kernels::Streams& streams,
         DevicePayloads& payloads);

}  // namespace pipewright::live
