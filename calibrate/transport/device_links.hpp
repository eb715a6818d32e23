// Communication between devices of different ranks, on their own streams.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "program/program.hpp"

namespace pipewright::transport {

/// Ranks that talk to each other in order, beside all other channels.
struct DeviceChannel {
  std::vector<uint32_t> members;  ///< of transfers the sender, then the receiver
  Bytes most;                     ///< of one of its ops
  bool of_transfers = false;      ///< then receives are there long before what they get
};

class DeviceLinks {
 public:
  virtual ~DeviceLinks() = default;
  virtual std::string library() const = 0;  ///< with its version
  /// Opens the links, once and before all else. All ranks call it with the same channels. Throws
  /// Failure.
  virtual void open(const std::vector<DeviceChannel>& channels) = 0;

  // --- put on the selected stream; ends when all members have put theirs and data have moved ---

  // Numbers in the memory of the device, which stays theirs until then.
  virtual void send(size_t channel, std::span<const float> numbers) = 0;
  /// Receives as many numbers as the sender sends.
  virtual void receive(size_t channel, std::span<float> numbers) = 0;
  /// Everybody gets the sum in place of its own, the very same bits.
  virtual void all_reduce(size_t channel, std::span<float> numbers) = 0;
  /// Gathers as many numbers of each member, in the channel's order.
  virtual void all_gather(size_t channel, std::span<const float> own, std::span<float> all) = 0;
  /// Sums, and gives each member its part of the sum; parts are equally large.
  virtual void reduce_scatter(size_t channel, std::span<const float> all, std::span<float> own) = 0;
  /// Sends to each member and receives from it at once, by member; each part may be nothing.
  virtual void send_and_receive(size_t channel, const std::vector<std::span<const float>>& to,
                                const std::vector<std::span<float>>& from) = 0;

  // So many bytes whatever they are.
  virtual void send(size_t channel, Bytes bytes) = 0;
  virtual void receive(size_t channel, Bytes bytes) = 0;
  /// `bytes` as in OpType.
  virtual void collect(size_t channel, CollectiveKind kind, Bytes bytes) = 0;

  /// Throws Failure when something went wrong behind the caller.
  virtual void check() = 0;
};

}  // namespace pipewright::transport
