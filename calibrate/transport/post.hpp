// What a rank sends and gets: packets for the run, and the notes of sessions to each other.
#pragma once

#include <deque>
#include <string_view>

#include "calibrate/transport/guard.hpp"
#include "calibrate/transport/transport.hpp"

namespace pipewright::transport {

/// The purpose of control packets.
enum class Note : uint32_t { alive, stop, kept, ping, pong, to_first, from_first, report };

class Post {
 public:
  /// The guard looks on while the transport is called.
  Post(Transport& transport, Guard& guard) : transport_(transport), guard_(guard) {}

  void send(int to, Channel channel, uint32_t tag, Payload payload, size_t size);
  void send(int to, Note note, std::vector<std::byte> bytes);
  void send_all(Note note, const std::vector<std::byte>& bytes);
  bool sent() const { return transport_.sent(); }

  /// Moves on all that is on its way. Returns what has arrived, if something has.
  std::optional<Packet> receive();
  /// Keeps what has arrived until it is asked for.
  void keep(Packet packet);
  /// The first that is kept of data and signals, or of notes of this purpose.
  std::optional<Packet> take();
  std::optional<Packet> take(Note note);

 private:
  Transport& transport_;
  Guard& guard_;
  std::deque<Packet> packets_, notes_;
};

}  // namespace pipewright::transport
