// Activations that wait for their backward in another rank's memory: copies beside the passes. A
// rank's evictions follow one another, as in one stream, and so do its returns.
#include "program/lower_evictions.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace pipewright {
namespace {

using schedule::Action;
using schedule::Eviction;
using schedule::Pass;

OpId add_move(ProgramDraft& draft, const Eviction& e, uint32_t member, int from, int to) {
  return draft.builder.add({.type = draft.types.move(e.stage),
                            .rank = draft.program_rank(from, member),
                            .peer = draft.program_rank(to, member),
                            .micro_batch = e.micro_batch});
}

/// The forward that takes the space: the next of the rank.
const Action& forward_after(const schedule::Order& order, const Eviction& e) {
  const auto next = std::find_if(order.begin() + e.leaves_after + 1, order.end(),
                                 [](const Action& a) { return a.pass == Pass::forward; });
  ensure(next != order.end(), "an activation leaves though no forward needs its space");
  return *next;
}

}  // namespace

void connect_evictions(ProgramDraft& draft, uint32_t member) {
  const schedule::Schedule& schedule = draft.schedule;
  ensure(schedule.evictions.empty() || schedule.slices == 1, "evicted activations are whole");
  ProgramBuilder& builder = draft.builder;
  PassEnds& ends = draft.ends;
  std::vector<OpId> returns;
  OpId left = none;
  int rank = -1;
  for (const Eviction& e : schedule.evictions) {
    const schedule::Order& order = schedule.order[e.rank];
    const OpId leave = add_move(draft, e, member, e.rank, e.host);
    const OpId come_back = add_move(draft, e, member, e.host, e.rank);
    builder.depend(ends.last(order[e.leaves_after], member), leave);
    builder.depend(leave, ends.first(forward_after(order, e), member));
    builder.depend(ends.last(order[e.returns_after], member), come_back);
    builder.depend(leave, come_back);
    const Action backward{.pass = Pass::backward, .stage = e.stage, .micro_batch = e.micro_batch};
    builder.depend(come_back, ends.first(backward, member));
    if (e.rank == rank) {
      builder.depend(left, leave);
      builder.depend(returns.back(), come_back);
    }
    if (e.room_from >= 0) builder.depend(returns[static_cast<size_t>(e.room_from)], leave);
    rank = e.rank;
    left = leave;
    returns.push_back(come_back);
  }
}

}  // namespace pipewright
