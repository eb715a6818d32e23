#include "calibrate/transport/pieces.hpp"

#include <algorithm>
#include <utility>

namespace pipewright::transport {
namespace {

/// A connection is kept busy for about as long: others that start then do not wait much longer.
constexpr auto ahead = std::chrono::milliseconds(2);
constexpr size_t least_outside = 2, most_outside = 256;

}  // namespace

void PieceQueue::push(Channel channel, uint32_t tag, Payload payload, size_t size) {
  messages_.push_back({pushed_++, {channel, tag, std::move(payload), 0, size}});
}

bool PieceQueue::is_held_back(const Message& message) const {
  const Piece& left = message.left;
  return std::any_of(messages_.begin(), messages_.end(), [&](const Message& other) {
    const bool in_order = left.channel == Channel::message || other.left.tag == left.tag;
    return in_order && other.left.channel == left.channel && other.number < message.number;
  });
}

std::optional<Piece> PieceQueue::pop() {
  if (outside_ >= most_) return {};
  const auto at = std::find_if(messages_.begin(), messages_.end(),
                               [&](const Message& message) { return !is_held_back(message); });
  if (at == messages_.end()) return {};
  ++outside_;
  Piece piece = at->left;
  if (piece.size < piece_bytes) {
    messages_.erase(at);
    return piece;
  }
  at->left.offset += piece_bytes;
  at->left.size -= piece_bytes;
  piece.size = piece_bytes;
  std::rotate(at, at + 1, messages_.end());
  return piece;
}

void PieceQueue::done(Clock::time_point since, Clock::time_point now) {
  --outside_;
  if (now - since > ahead)
    most_ = std::max(least_outside, most_ - 1);
  else if (outside_ == 0 && !messages_.empty())
    most_ = std::min(most_outside, 2 * most_);
}

std::optional<Packet> PieceJoiner::add(Packet piece) {
  const auto key = std::tuple(piece.from, piece.channel, piece.tag);
  const bool last = piece.bytes.size() < piece_bytes;
  const auto found = begun_.find(key);
  if (found == begun_.end() && last) return piece;
  std::vector<std::byte>& bytes = begun_[key];
  bytes.insert(bytes.end(), piece.bytes.begin(), piece.bytes.end());
  if (!last) return {};
  piece.bytes = std::move(bytes);
  begun_.erase(key);
  return piece;
}

}  // namespace pipewright::transport
