#include "calibrate/transport/pieces.hpp"

#include <gtest/gtest.h>

namespace pipewright::transport {
namespace {

Payload payload(size_t size, unsigned first) {
  auto bytes = std::make_shared<std::vector<std::byte>>(size);
  for (size_t i = 0; i < size; ++i) (*bytes)[i] = static_cast<std::byte>(first + i % 251);
  return bytes;
}

/// All that leaves, each piece through before the next is taken.
std::vector<Piece> drain(PieceQueue& queue) {
  std::vector<Piece> pieces;
  const PieceQueue::Clock::time_point now{};
  while (std::optional<Piece> piece = queue.pop()) {
    queue.done(now, now);
    pieces.push_back(*piece);
  }
  return pieces;
}

Packet packet_of(const Piece& piece, int from) {
  Packet packet{from, piece.channel, piece.tag, {}};
  if (piece.size > 0) {
    const auto begin = piece.payload->begin() + static_cast<std::ptrdiff_t>(piece.offset);
    packet.bytes.assign(begin, begin + static_cast<std::ptrdiff_t>(piece.size));
  }
  return packet;
}

// Whatever its size, a message is put together as it was: also one of no byte, and one that ends
// with a whole piece.
TEST(Pieces, make_the_message_again) {
  for (const size_t size : {size_t{0}, size_t{1}, piece_bytes - 1, piece_bytes, piece_bytes + 1,
                            3 * piece_bytes, 3 * piece_bytes + 17}) {
    PieceQueue queue;
    queue.push(Channel::data, 7, payload(size, 3), size);
    PieceJoiner joiner;
    std::vector<Packet> whole;
    for (const Piece& piece : drain(queue))
      if (std::optional<Packet> packet = joiner.add(packet_of(piece, 2)))
        whole.push_back(std::move(*packet));
    ASSERT_EQ(whole.size(), 1u) << size;
    EXPECT_EQ(whole[0].bytes, *payload(size, 3)) << size;
    EXPECT_TRUE(queue.empty());
  }
}

// Two messages of three pieces share the connection: 1 2 1 2 1 2, as flows share a link.
TEST(Pieces, leave_in_turn) {
  PieceQueue queue;
  const size_t size = 2 * piece_bytes + 1;
  for (const uint32_t tag : {1u, 2u}) queue.push(Channel::data, tag, payload(size, tag), size);
  std::vector<uint32_t> tags;
  for (const Piece& piece : drain(queue)) tags.push_back(piece.tag);
  EXPECT_EQ(tags, (std::vector<uint32_t>{1, 2, 1, 2, 1, 2}));
}

// Two transfers of two pieces each; a step of a ring shares the connection with the first at once.
TEST(Pieces, of_transfers_leave_one_transfer_after_the_other) {
  PieceQueue queue;
  const size_t size = piece_bytes + 1;
  queue.push(Channel::message, 1, payload(size, 1), size);
  queue.push(Channel::message, 2, payload(size, 2), size);
  queue.push(Channel::data, 3, payload(size, 3), size);
  std::vector<uint32_t> tags;
  for (const Piece& piece : drain(queue)) tags.push_back(piece.tag);
  ASSERT_EQ(tags.size(), 6u);
  EXPECT_EQ(tags[1], 3u);
  std::erase(tags, 3u);
  EXPECT_EQ(tags, (std::vector<uint32_t>{1, 1, 2, 2}));
}

// Steps of one ring have one tag: the second must not mix with the first, nor overtake it.
TEST(Pieces, of_one_tag_leave_one_message_after_the_other) {
  PieceQueue queue;
  const size_t size = piece_bytes + 5;
  queue.push(Channel::data, 1, payload(size, 10), size);
  queue.push(Channel::data, 1, payload(4, 20), 4);
  queue.push(Channel::data, 2, payload(size, 30), size);
  PieceJoiner joiner;
  std::vector<Packet> whole;
  for (const Piece& piece : drain(queue))
    if (std::optional<Packet> packet = joiner.add(packet_of(piece, 0)))
      whole.push_back(std::move(*packet));
  ASSERT_EQ(whole.size(), 3u);
  std::erase_if(whole, [](const Packet& packet) { return packet.tag == 2; });
  EXPECT_EQ(whole[0].bytes, *payload(size, 10));
  EXPECT_EQ(whole[1].bytes, *payload(4, 20));
}

// Nothing more is given to a connection that has not taken the last pieces: what starts later
// would have to wait behind it.
TEST(Pieces, wait_for_those_before) {
  PieceQueue queue;
  const size_t size = 100 * piece_bytes;
  queue.push(Channel::data, 1, payload(size, 1), size);
  const PieceQueue::Clock::time_point start{};
  for (int i = 0; i < 50; ++i) {
    int left = 0;
    while (queue.pop()) ++left;
    EXPECT_LE(left, 2) << i;
    // Each is through 5 ms later.
    for (; left > 0; --left) queue.done(start, start + std::chrono::milliseconds(5));
    if (queue.empty()) break;
  }
}

}  // namespace
}  // namespace pipewright::transport
