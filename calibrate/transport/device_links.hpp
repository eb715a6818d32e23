// Communication between devices of different ranks, on their own streams.
#pragma once

#include <string>
#include <vector>

#include "program/program.hpp"

namespace pipewright::transport {

/// Ranks that talk to each other in order, beside all other channels.
struct DeviceChannel {
  std::vector<uint32_t> members;  ///< of transfers the sender, then the receiver
  Bytes most;                     ///< of one of its ops
};

class DeviceLinks {
 public:
  virtual ~DeviceLinks() = default;
  virtual std::string library() const = 0;  ///< with its version
  /// Before all else, once. All ranks come here with the same channels. Throws Failure.
  virtual void open(const std::vector<DeviceChannel>& channels) = 0;

  // --- put on the selected stream; ends when all members have put theirs and data have moved ---
  virtual void send(size_t channel, Bytes bytes) = 0;
  virtual void receive(size_t channel, Bytes bytes) = 0;
  /// `bytes` as in OpType.
  virtual void collect(size_t channel, CollectiveKind kind, Bytes bytes) = 0;

  /// Throws Failure when something went wrong behind the caller.
  virtual void check() = 0;
};

}  // namespace pipewright::transport
