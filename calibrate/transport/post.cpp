#include "calibrate/transport/post.hpp"

#include <algorithm>
#include <utility>

namespace pipewright::transport {

void Post::send(int to, Channel channel, uint32_t tag, Payload payload, size_t size) {
  guard_.outside([&] {
    transport_.send(to, channel, tag, std::move(payload), size);
    return true;
  });
}

void Post::send(int to, Note note, std::vector<std::byte> bytes) {
  const size_t size = bytes.size();
  send(to, Channel::control, static_cast<uint32_t>(note),
       std::make_shared<const std::vector<std::byte>>(std::move(bytes)), size);
}

void Post::send_all(Note note, const std::vector<std::byte>& bytes) {
  for (int to = 0; to < transport_.size(); ++to)
    if (to != transport_.rank()) send(to, note, bytes);
}

std::optional<Packet> Post::receive() {
  return guard_.outside([&] { return transport_.poll(); });
}

void Post::keep(Packet packet) {
  (packet.channel == Channel::control ? notes_ : packets_).push_back(std::move(packet));
}

std::optional<Packet> Post::take() {
  if (packets_.empty()) return {};
  Packet packet = std::move(packets_.front());
  packets_.pop_front();
  return packet;
}

std::optional<Packet> Post::take(Note note) {
  const auto found = std::find_if(notes_.begin(), notes_.end(), [&](const Packet& packet) {
    return packet.tag == static_cast<uint32_t>(note);
  });
  if (found == notes_.end()) return {};
  Packet packet = std::move(*found);
  notes_.erase(found);
  return packet;
}

}  // namespace pipewright::transport
