// Two ranks, a stage each: rank 0 computes, sends to rank 1, which computes.
#pragma once

#include "engine/timeline.hpp"
#include "program/program.hpp"

namespace pipewright::test {

struct TwoRanks {
  OpId first, message, second;
  Program program;
  Timeline timeline;

  /// The message goes from 10 ps to 15 ps; rank 1 computes from 20 ps to 26 ps.
  TwoRanks() {
    ProgramBuilder builder;
    builder.program.ranks = {{.pipeline = 0, .device = 0}, {.pipeline = 1, .device = 1}};
    builder.program.types = {{}, {.kind = OpKind::transfer}, {.pass = schedule::Pass::backward}};
    for (uint32_t rank = 0; rank < 2; ++rank) builder.add_lane(rank, Stream::compute);
    first = builder.add({.type = 0, .rank = 0, .lane = 0});
    message = builder.add({.type = 1, .rank = 0, .peer = 1});
    second = builder.add({.type = 2, .rank = 1, .lane = 1});
    builder.append(0, first);
    builder.append(1, second);
    builder.depend(first, message);
    builder.depend(message, second);
    program = std::move(builder).finish();
    timeline.spans = {{{0}, {0}, {10}}, {{10}, {10}, {15}}, {{15}, {20}, {26}}};
  }
};

}  // namespace pipewright::test
