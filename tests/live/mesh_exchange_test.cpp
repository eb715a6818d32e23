#include "calibrate/live/messages/mesh_exchange.hpp"

#include <gtest/gtest.h>

#include <map>

namespace pipewright::live {
namespace {

/// A mesh of `senders` replicas of two tensor ranks, one of `takers` replicas of `tensor`, and one
/// op from the first to the second.
Program program_of(int senders, int takers, int tensor) {
  Program program;
  const auto add = [&](int pipeline, int replicas, int width) {
    for (int replica = 0; replica < replicas; ++replica)
      for (int t = 0; t < width; ++t)
        program.ranks.push_back({.pipeline = pipeline, .tensor = t, .data = replica});
  };
  add(0, senders, 2);
  add(1, takers, tensor);
  program.types.push_back({.kind = OpKind::transfer, .resharding = 0});
  program.ops.push_back({.rank = 0, .peer = static_cast<uint32_t>(2 * senders)});
  return program;
}

// Three replicas that take what two have: the middle one gets half a tensor's third of each.
TEST(MeshExchange, every_rank_that_takes_gets_all_that_it_wants_once) {
  for (const int senders : {1, 2, 3, 4}) {
    for (const int takers : {1, 2, 3}) {
      for (const int tensor : {1, 2, 4}) {
        const Program program = program_of(senders, takers, tensor);
        std::map<uint32_t, int64_t> sent, came;
        for (uint32_t rank = 0; rank < program.ranks.size(); ++rank) {
          const MeshExchange exchange(program, 0, rank);
          EXPECT_EQ(exchange.parts(), senders * takers);
          for (int step = 0; step < exchange.steps(); ++step) {
            sent[exchange.to(step)] += exchange.outgoing(step).count;
            came[rank] += exchange.incoming(step).count;
          }
          EXPECT_EQ(came[rank], exchange.sends() ? 0 : exchange.own().count);
        }
        for (const auto& [rank, parts] : came) EXPECT_EQ(sent[rank], parts);
      }
    }
  }
}

// Four tensor ranks take turns with the two that hold the same.
TEST(MeshExchange, tensor_ranks_take_turns_to_send) {
  const Program program = program_of(1, 1, 4);
  for (const uint32_t rank : {0u, 1u}) {
    const MeshExchange exchange(program, 0, rank);
    int64_t sent = 0;
    for (int step = 0; step < exchange.steps(); ++step) sent += exchange.outgoing(step).count;
    EXPECT_EQ(sent, 2);
  }
}

}  // namespace
}  // namespace pipewright::live
