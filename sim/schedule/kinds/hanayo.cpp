// Hanayo (arXiv 2308.15762): waves. The model folded 2W times over the ranks, one copy of each
// stage; for W = 1 it is Chimera on 2p ranks folded in half.
//
// S = 2Wp stages in zig-zag: stage s on rank s mod p where s / p is even, p-1 - s mod p where it is
// odd. The order is a list schedule with tF = 1, tB = 2: a rank takes a ready backward before a
// ready forward, and of several the one of the oldest micro-batch. A micro-batch enters when
// fewer than `in_flight` are between their first F and last B. m = p, tB = 2tF per chunk, W = 1:
//   T = 2p tF + (4p-2) tB;
// for W = 2 and 4 it is 0 to 2 tF above 6pW tF + 4(p-1) tF. (The paper's own bubble ratio could
// not be checked.) One weight version; at most in_flight * 2W chunks a rank.
// 2W-1 turns are local: 2 * 2W(p-1) messages a micro-batch.
//
// Options waves: W, default 1; in_flight: default 2p. With p a rank holds no more than under 1F1B,
// but for m > p idles until micro-batches have come all the way back.
#include "schedule/kinds/registry.hpp"
#include "schedule/list_schedule.hpp"

namespace pipewright::schedule {
namespace {

Schedule build_hanayo(const Shape& shape, const config::Value& options) {
  const config::Fields fields = fields_of(kind::hanayo, options);
  const int p = shape.ranks;
  const int waves = static_cast<int>(fields.integer("waves", 1, 1, 64));
  Schedule schedule = make({.ranks = p, .micro_batches = shape.micro_batches}, 2 * waves * p);
  const auto is_forward = [](const Action& action) { return action.pass == Pass::forward; };
  const ListPolicy policy{
      .rank_of = [p](int stage, int) { return stage / p % 2 == 0 ? stage % p : p - 1 - stage % p; },
      .priority = [&](const Action& action) { return is_forward(action) ? 1 : 0; },
      .duration = [&](const Action& action) { return is_forward(action) ? 1 : 2; },
      .in_flight = fields.integer("in_flight", 2 * p, 1, 1 << 21)};
  list_schedule(schedule, policy);
  schedule.iterations = shape.iterations;
  repeat_iterations(schedule);
  return schedule;
}

}  // namespace

const Kind kind::hanayo{
    .name = "hanayo",
    .aliases = {},
    .summary = "the model folded in waves over the ranks; one copy of it",
    .build = build_hanayo,
    .options = {
        {"waves",
         "a whole number",
         "1",
         "How often the model is folded to and fro over the ranks. A rank holds two stages a wave.",
         {}},
        {"in_flight",
         "a whole number of micro-batches",
         "twice the number of ranks",
         "The micro-batches that may be between their first forward and their last backward.",
         {}}}};

}  // namespace pipewright::schedule
