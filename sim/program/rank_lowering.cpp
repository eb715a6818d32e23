#include "program/rank_lowering.hpp"

#include <algorithm>

#include "base/stop.hpp"
#include "program/gradient_counter.hpp"
#include "program/outer_steps.hpp"

namespace pipewright {

using schedule::Action;
using schedule::Pass;

namespace {

/// Tells whether the pass is a forward whose own backward is next.
bool turns_at(const schedule::Order& order, size_t position) {
  if (position + 1 >= order.size()) return false;
  const Action &a = order[position], &b = order[position + 1];
  return a.pass == Pass::forward && (b.pass == Pass::backward || b.pass == Pass::input_gradient) &&
         a.stage == b.stage && a.micro_batch == b.micro_batch && a.slice == b.slice;
}

}  // namespace

RankLowering::RankLowering(ProgramDraft& draft, LoweredMessages& messages, Updates& updates,
                           int rank)
    : draft_(draft),
      messages_(messages),
      updates_(updates),
      rank_(draft, rank),
      passes_(draft, rank_),
      order_(draft.schedule.order[rank]),
      completes_(completing_actions(draft.schedule, order_)) {}

void RankLowering::run(const std::vector<RankStep>& steps, uint32_t together) {
  for (uint32_t first = 0; first < rank_.width(); first += together) {
    rank_.select(first, std::min(rank_.width(), first + together));
    for (const RankStep& step : steps) lower_step(step);
  }
}

void RankLowering::lower_step(const RankStep& step) {
  switch (step.kind) {
    case RankStep::Kind::pass:
      return lower_pass(static_cast<size_t>(step.index));
    case RankStep::Kind::transfer:
      return messages_.place_transfer(rank_, step.index);
    case RankStep::Kind::batch:
      return messages_.place_batch(rank_, step.posted);
    case RankStep::Kind::hand_over:
      return messages_.hand_over(rank_, step.index);
    case RankStep::Kind::take:
      return messages_.take(rank_, step.index);
    case RankStep::Kind::reduce:
      return reduce(step.step_number, step.index);
    case RankStep::Kind::step:
      return step_optimizer(step.step_number);
  }
}

void RankLowering::lower_pass(size_t position) {
  stop_here();
  const Action& a = order_[position];
  const bool completes = completes_[position], turns = turns_at(order_, position);
  if (!a.pairs_with_next) return passes_.lower(a, completes, turns);
  const Action& b = order_[position + 1];
  const uint32_t pair = draft_.types.pair(a.stage, a.slice);
  if (pair != none) return passes_.lower_pair(a, b, pair);
  if (draft_.in.pairs_beside) return passes_.lower_beside(a, b, completes_[position + 1]);
  passes_.lower(a, completes, turns);
  passes_.lower(b, completes_[position + 1], turns);
  passes_.join_ends(a, b);
}

void RankLowering::reduce(int step, int stage) {
  for (const uint32_t member : rank_.selected()) {
    updates_.gradients_complete(step, stage, rank_.number(), member,
                                passes_.take_ends_of_parts(stage, member));
  }
}

void RankLowering::step_optimizer(int step) {
  passes_.before_optimizer();
  const int rank = rank_.number();
  for (const uint32_t member : rank_.selected()) {
    const OpId last = rank_.backward_server(member).newest;
    updates_.all_complete(step, rank, member, last);
    if (draft_.schedule.parallel_passes) rank_.next_waits_for(member, last);
    for (const uint32_t type : updates_.step_types(step, rank)) {
      const OpId op = rank_.add_compute(member, type, {.micro_batch = step});
      updates_.stepped(step, rank, member, op);
    }
    add_outer_step(draft_, rank_, updates_, step, member);
  }
  passes_.after_optimizer();
}

}  // namespace pipewright
