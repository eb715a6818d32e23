// Activations that wait for their backward in another rank's memory: copies beside the passes. A
// rank's evictions follow one another, as in one stream, and so do its returns.
#include <algorithm>

#include "base/error.hpp"
#include "program/lowering.hpp"

namespace pipewright {

using schedule::Action;
using schedule::Eviction;
using schedule::Pass;

OpId Lowering::add_move(const Eviction& e, uint32_t member, int from, int to) {
  return builder_.add({.type = types_.move(e.stage),
                       .rank = program_rank(from, member),
                       .peer = program_rank(to, member),
                       .micro_batch = e.micro_batch});
}

/// The forward that takes the space: the next of the rank.
const Action& Lowering::forward_after(const Eviction& e) const {
  const schedule::Order& order = schedule_.order[e.rank];
  const auto next = std::find_if(order.begin() + e.leaves_after + 1, order.end(),
                                 [](const Action& a) { return a.pass == Pass::forward; });
  ensure(next != order.end(), "an activation leaves though no forward needs its space");
  return *next;
}

void Lowering::connect_evictions(uint32_t member) {
  ensure(schedule_.evictions.empty() || schedule_.slices == 1, "evicted activations are whole");
  std::vector<OpId> returns;
  OpId left = none;
  int rank = -1;
  for (const Eviction& e : schedule_.evictions) {
    const schedule::Order& order = schedule_.order[e.rank];
    const OpId leave = add_move(e, member, e.rank, e.host);
    const OpId come_back = add_move(e, member, e.host, e.rank);
    builder_.depend(exit_[piece(order[e.leaves_after], member)], leave);
    builder_.depend(leave, entry_[piece(forward_after(e), member)]);
    builder_.depend(exit_[piece(order[e.returns_after], member)], come_back);
    builder_.depend(leave, come_back);
    const Action backward{.pass = Pass::backward, .stage = e.stage, .micro_batch = e.micro_batch};
    builder_.depend(come_back, entry_[piece(backward, member)]);
    if (e.rank == rank) {
      builder_.depend(left, leave);
      builder_.depend(returns.back(), come_back);
    }
    if (e.room_from >= 0) builder_.depend(returns[static_cast<size_t>(e.room_from)], leave);
    rank = e.rank;
    left = leave;
    returns.push_back(come_back);
  }
}

}  // namespace pipewright
