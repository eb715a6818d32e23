#include "study/trace.hpp"

#include "base/error.hpp"
#include "engine/engine.hpp"
#include "program/goal_program.hpp"

namespace pipewright {
namespace {

TraceRun run_checked(const goal::Goal& goal, const Prices& prices) {
  Program open = lower_goal(goal, goal::check(goal));
  TraceRun run;
  run.durations = price(open, prices);
  Decisions decisions;
  run.timeline = run_events(open, run.durations, &decisions);
  for (const auto& [message, receiver] : decisions.received) {
    if (open.type(message).bytes != open.type(receiver).bytes)
      goal::check_sizes(goal, goal_op(goal, message), goal_op(goal, receiver));
  }
  run.schedule.micro_batches = run.schedule.step_every = 1;
  run.schedule.order.resize(goal.ranks.size());
  run.program = settle(std::move(open), decisions);
  return run;
}

}  // namespace

TraceRun run_trace(const goal::Goal& goal, const Prices& prices) {
  try {
    return run_checked(goal, prices);
  } catch (const Failure& failure) {
    // A send never waits for its receiver: no way of sending would have helped.
    throw InputError({goal.file, 0, 0}, failure.what());
  }
}

}  // namespace pipewright
