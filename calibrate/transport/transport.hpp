// Packets between the ranks of a live run, wherever those are: threads of a test, or processes of
// one or many hosts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace pipewright::transport {

enum class Channel : uint8_t {
  message,  ///< what transfers move, from one rank to another one by one; the tag is the op
  data,     ///< what the steps of collectives move, in turn; the tag is the op
  signal,   ///< an op has ended; the tag is the op
  control,  ///< between sessions
};

/// The contents that sent packets share: they stay until the last packet has left.
using Payload = std::shared_ptr<const std::vector<std::byte>>;

struct Packet {
  int from = 0;
  Channel channel = Channel::data;
  uint32_t tag = 0;
  std::vector<std::byte> bytes;
};

/// A transport, for one thread. Nothing waits: what a call begins goes on in later calls of poll().
class Transport {
 public:
  virtual ~Transport() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  /// Returns the name of each rank's host, by rank.
  virtual const std::vector<std::string>& hosts() const = 0;
  /// Sends the first `size` bytes of `payload`, which may be null where `size` is 0. Packets to a
  /// rank that is gone are lost without a word.
  virtual void send(int to, Channel channel, uint32_t tag, Payload payload, size_t size) = 0;
  /// One packet that has arrived whole, if there is one.
  virtual std::optional<Packet> poll() = 0;
  /// Tells whether all that was sent has left.
  virtual bool sent() const = 0;
  /// The orderly end, when every rank comes here and nothing is on its way any more.
  virtual void leave() = 0;
};

/// The largest packet.
inline constexpr int64_t most_bytes = INT32_MAX;
/// Tags are below.
inline constexpr uint32_t most_tags = 1u << 29;

}  // namespace pipewright::transport
