#include "trace/trace.hpp"

#include <fmt/format.h>

#include <optional>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/required.hpp"
#include "config/catalogue.hpp"
#include "engine/contention.hpp"
#include "engine/engine.hpp"
#include "engine/op_routes.hpp"
#include "experiment/resolved_document.hpp"
#include "interop/chakra.hpp"
#include "program/goal_program.hpp"
#include "run/link_use.hpp"

namespace pipewright {
namespace {

class Tracing {
 public:
  Tracing(const goal::Goal& goal, const Prices& prices, const Topology* shared)
      : goal_(goal), open_(lower_goal(goal, goal::check(goal))), prices_(prices), shared_(shared) {
    run_.durations = price(open_, prices);
  }

  TraceRun run() {
    const ClockTime begin = now();
    run_.timeline = run_events(open_, run_.durations, &decisions_);
    if (shared_) share_links();
    run_.wall_s = seconds_since(begin);
    check_received();
    run_.program = settle(std::move(open_), decisions_);
    return std::move(run_);
  }

 private:
  /// Shares links. The run stands as it is where no link had too much to carry at any time.
  void share_links() {
    const Contention contention =
        find_contention(open_, prices_, run_.durations,
                        required(find_op_routes(open_, *shared_, prices_, only_itself),
                                 "ops stand for themselves"));
    run_.cut = contention.cut;
    if (first_excess(contention, run_.durations, run_.timeline) == longest_time) return;
    decisions_ = {};
    run_.timeline = run_events(open_, run_.durations, &decisions_, &contention);
    for (OpId op = 0; op < run_.durations.size(); ++op)
      run_.durations[op] = run_.timeline.spans[op].end - run_.timeline.spans[op].start;
  }

  void check_received() const {
    for (const auto& [message, receiver] : decisions_.received) {
      if (open_.type(message).bytes != open_.type(receiver).bytes)
        goal::check_sizes(goal_, goal_op(goal_, message), goal_op(goal_, receiver));
    }
  }

  const goal::Goal& goal_;
  Program open_;
  const Prices& prices_;
  const Topology* shared_;
  TraceRun run_;
  Decisions decisions_;
};

}  // namespace

TraceRun run_trace(const goal::Goal& goal, const Prices& prices, const Topology* shared) {
  try {
    return Tracing(goal, prices, shared).run();
  } catch (const Failure& failure) {
    // A send never waits for its receiver: no way of sending would have helped.
    throw InputError({goal.file, 0, 0}, failure.what());
  }
}

schedule::Schedule schedule_of_trace(size_t ranks) {
  schedule::Schedule schedule;
  schedule.micro_batches = schedule.step_every = 1;
  schedule.order.resize(ranks);
  return schedule;
}

namespace {

/// Estimates by the data sheet or profile of the first device, as one kernel of the experiment's
/// precision.
chakra::Estimate estimate_by(const Machine& machine, const Experiment& experiment) {
  if (!machine.device()) return {};
  return [prices = machine.prices(experiment), dtype = experiment.precision](double operations,
                                                                             double bytes) {
    const Work work{.kernel = Kernel::elementwise,
                    .dtype = dtype,
                    .flops = operations,
                    .read = {static_cast<int64_t>(bytes)}};
    return divide(prices.compute(work, 0), 1000).ps;
  };
}

}  // namespace

goal::Goal read_trace_file(const Experiment& experiment, const Machine& machine) {
  const config::Value& named = required(experiment.trace, "a trace experiment");
  const std::string path = config::path_seen_from(named.text, named.mark);
  const int devices = machine.device_count();
  goal::Goal goal = experiment.trace_is_chakra
                        ? chakra::read(path, named.mark.where(), estimate_by(machine, experiment))
                        : goal::read_file(path, named.mark.where());
  if (goal.ranks.size() > static_cast<size_t>(devices)) {
    experiment.misfit("cluster",
                      fmt::format("the cluster has {} devices, but '{}' has {} ranks, one a device",
                                  devices, named.text, goal.ranks.size()));
  }
  return goal;
}

Run run_trace_experiment(const Experiment& experiment, const config::Catalogue& catalogue) {
  const Machine machine = read_machine(experiment, catalogue);
  const goal::Goal goal = read_trace_file(experiment, machine);
  const bool shares_links = experiment.network.kind == NetworkKind::flow;
  TraceRun trace =
      run_trace(goal, machine.prices(experiment), shares_links ? &machine.topology() : nullptr);
  Run run;
  run.program = std::move(trace.program);
  run.timeline = std::move(trace.timeline);
  run.schedule = schedule_of_trace(goal.ranks.size());
  RunResult& result = run.result;
  result.experiment = resolved_document(experiment);
  result.schedule = "trace";
  result.metrics = measure(run.program, run.timeline, run.schedule, {});
  result.metrics.bounds = bounds(run.program, run.timeline);
  add_cut(trace.cut, result.metrics);
  for (RankResult& rank : result.metrics.ranks) rank.devices = {rank.rank};
  result.links =
      busiest_links(machine.topology(), bytes_by_link(run.program, machine.topology(), {}),
                    result.metrics.makespan);
  result.cost.events = goal.ops.size();
  result.cost.wall_s = trace.wall_s;
  return run;
}

}  // namespace pipewright
