#include "trace/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/parallel.hpp"
#include "base/required.hpp"
#include "base/stop.hpp"
#include "config/catalogue.hpp"
#include "engine/contention.hpp"
#include "engine/engine.hpp"
#include "engine/op_routes.hpp"
#include "experiment/resolved_document.hpp"
#include "interop/chakra.hpp"
#include "machine/spread_times.hpp"
#include "program/goal_program.hpp"
#include "run/link_use.hpp"
#include "run/packet_contention.hpp"
#include "run/vary.hpp"

namespace pipewright {
namespace {

class Tracing {
 public:
  Tracing(const goal::Goal& goal, const Prices& prices, const TraceLinks& links)
      : goal_(goal), open_(lower_goal(goal, goal::check(goal))), prices_(prices), links_(links) {
    run_.durations = price(open_, prices);
  }

  TraceRun run() {
    const ClockTime begin = now();
    run_.timeline = run_events(open_, run_.durations, &decisions_);
    if (links_.topology) share_links(*links_.topology);
    run_.wall_s = seconds_since(begin);
    check_received();
    run_.program = settle(std::move(open_), decisions_);
    return std::move(run_);
  }

 private:
  /// Shares links. The run stands as it is where no link had too much to carry at any time.
  void share_links(const Topology& topology) {
    const Contention contention = find_shared(topology);
    run_.cut = contention.cut;
    const bool sends_packets = contention.packets != nullptr;
    if (!sends_packets && first_excess(contention, run_.durations, run_.timeline) == longest_time)
      return;
    decisions_ = {};
    run_.timeline = run_events(open_, run_.durations, &decisions_, &contention,
                               sends_packets ? &run_.packets.emplace() : nullptr);
    for (OpId op = 0; op < run_.durations.size(); ++op)
      run_.durations[op] = run_.timeline.spans[op].end - run_.timeline.spans[op].start;
  }

  Contention find_shared(const Topology& topology) const {
    LaidLinks laid(topology, links_.spreading);
    OpRoutes routes =
        required(find_op_routes(open_, prices_, only_itself, laid), "ops stand for themselves");
    if (!links_.packets) return find_contention(open_, prices_, run_.durations, std::move(routes));
    const auto inside = [&] {
      return std::make_shared<LaidLinks>(topology, Spreading{.how = Spreading::How::none});
    };
    return packet_contention({open_, prices_, run_.durations}, *links_.packets, topology,
                             links_.spreading, std::move(routes), inside, only_itself);
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
  const TraceLinks& links_;
  TraceRun run_;
  Decisions decisions_;
};

}  // namespace

TraceRun run_trace(const goal::Goal& goal, const Prices& prices, const TraceLinks& links) {
  try {
    return Tracing(goal, prices, links).run();
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

/// The links that the first run of an experiment shares, with what it draws by `seed`.
TraceLinks links_of(const Experiment& experiment, const Machine& machine, uint64_t seed) {
  const NetworkOptions& network = experiment.network;
  TraceLinks links;
  if (network.kind == NetworkKind::alpha_beta) return links;
  links.topology = &machine.links();
  links.spreading = spreading_of(network);
  links.spreading.seed = seed;
  if (network.kind == NetworkKind::flow) return links;
  links.packets = {.options = network.packet,
                   .runs = 1 + (network.draws() ? network.flow.seeds : 0),
                   .where = experiment.where("network")};
  links.packets->options.priorities = 1;
  links.packets->options.seed = seed;
  return links;
}

Time last_end(const Timeline& timeline) {
  Time end;
  for (const Span& span : timeline.spans) end = std::max(end, span.end);
  return end;
}

/// Returns the quantiles of the time that the trace takes, over the seeds of an experiment.
Quantiles over_seeds(const Experiment& experiment, const Machine& machine, const goal::Goal& goal,
                     const Prices& prices, const RunOptions& options) {
  std::vector<Time> times(static_cast<size_t>(experiment.network.flow.seeds));
  in_parallel(times.size(), options.jobs, [&](size_t draw) {
    stop_here();
    const uint64_t seed = options.seed + draw;
    Prices drawn = prices;
    draw_routes(seed, drawn);
    times[draw] = last_end(run_trace(goal, drawn, links_of(experiment, machine, seed)).timeline);
  });
  std::sort(times.begin(), times.end());
  return {quantile(times, 0.1), quantile(times, 0.5), quantile(times, 0.9), quantile(times, 0.95),
          experiment.network.flow.seeds};
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

Run run_trace_experiment(const Experiment& experiment, const config::Catalogue& catalogue,
                         const RunOptions& options) {
  const Machine machine = read_machine(experiment, catalogue);
  const goal::Goal goal = read_trace_file(experiment, machine);
  Prices prices = machine.prices(experiment);
  draw_routes(options.seed, prices);
  const TraceLinks links = links_of(experiment, machine, options.seed);
  TraceRun trace = run_trace(goal, prices, links);
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
  result.links = busiest_links(machine.links(),
                               bytes_by_link(run.program, machine.links(), {}, links.spreading),
                               result.metrics.makespan);
  result.cost.events = goal.ops.size() + (trace.packets ? trace.packets->sent : 0);
  result.cost.wall_s = trace.wall_s;
  if (trace.packets) result.notes.push_back(what_became_of(*trace.packets));
  if (experiment.network.draws())
    result.ranges.variation = over_seeds(experiment, machine, goal, prices, options);
  return run;
}

}  // namespace pipewright
