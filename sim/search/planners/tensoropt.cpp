// TensorOpt's frontier tracking (arXiv 2004.10856): what time costs in memory.
//
// Assumption: a chain of layers, each run under one of several strategies: tensor x data over the
// devices of
//   a stage, recomputing nothing, attention or everything; between unlike strategies activations
//   move. p equal stages share time and memory evenly, without a bubble, one micro-batch held by
//   each.
// Cost of a layer under a strategy: time of all its micro-batches / p; (weights, gradients,
// optimizer and
//   the activations of a micro-batch) / p. No schedule takes less of either: the busiest rank has
//   the average's work at least. So every simulated plan is on or above the frontier.
// Recurrence (search/frontier.cpp): F_i(b) = reduce(union over a of F_(i-1)(a) + edge(a,b) +
// c_i(b)). Search: the frontier of every depth and micro-batch, reduced together. Of all points
//   that an experiment can express those that no other beats by closed form (study/closed_form.hpp)
//   are simulated, under 1f1b or interleaved-1f1b, from the quickest on, and the best taken.
// Mapping: one tensor degree for all layers; recomputation of the first n layers of every stage.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "base/parallel.hpp"
#include "base/required.hpp"
#include "search/chain.hpp"
#include "search/frontier.hpp"
#include "search/registry.hpp"
#include "search/space.hpp"

namespace pipewright::search {
namespace {

struct LayerStrategy {
  Candidate candidate;
  Chain chain;
};

/// A point of the frontier and the strategies that it is made of.
struct Plan {
  Time time;
  Bytes memory;
  std::string label;
  std::optional<Candidate> candidate;  ///< where an experiment can say it
};

class Job {
 public:
  explicit Job(const Problem& problem) : problem_(problem), given_(given_by(problem)) {}

  Proposal propose() {
    for (const int pipeline : divisors(given_.devices)) {
      if (given_.blocks > 0 && pipeline > given_.blocks) break;
      for (int micro = 1; micro <= given_.global && micro <= 64; micro *= 2) track(pipeline, micro);
    }
    const std::vector<Estimated> possible = expressible();
    reduce();
    Proposal best = best_of(problem_, possible, static_cast<size_t>(problem_.simulations));
    best.findings.simulated_frontier = simulated_frontier(possible);
    for (const Plan& plan : plans_)
      best.findings.frontier.push_back({plan.label, in_seconds(plan.time),
                                        static_cast<double>(plan.memory.count),
                                        plan.candidate.has_value()});
    return best;
  }

 private:
  /// Returns the plans of all depths that an experiment can express and that no other beats by more
  /// than closed forms err. The frontier's own times are only bounds where a pipeline has to fill.
  std::vector<Estimated> expressible() const {
    std::vector<Candidate> candidates;
    std::map<std::string, Bytes> least;  // with the activations of a micro-batch
    for (const Plan& plan : plans_) {
      if (!plan.candidate) continue;
      for (const char* schedule : {"1f1b", "interleaved-1f1b"}) {
        if (plan.candidate->pipeline == 1 && schedule != std::string_view("1f1b")) continue;
        Candidate& one = candidates.emplace_back(*plan.candidate);
        one.schedule = schedule_named(schedule);
        least[one.label()] = plan.memory;
      }
    }
    std::vector<Estimated> all = estimated(problem_, candidates), kept;
    for (Estimated& one : all) one.held = std::max(one.held, least[one.candidate.label()]);
    std::ranges::stable_sort(all, [](const Estimated& a, const Estimated& b) {
      return std::pair(a.estimate, a.held) < std::pair(b.estimate, b.held);
    });
    constexpr double error = 1.1;  // of closed forms against events, nearly always
    size_t quicker = 0;            // that are so for certain
    Bytes smallest{std::numeric_limits<int64_t>::max()};
    for (const Estimated& one : all) {
      for (; error * in_seconds(all[quicker].estimate) < in_seconds(one.estimate); ++quicker)
        smallest = std::min(smallest, all[quicker].held);
      if (one.held < smallest) kept.push_back(one);
    }
    return kept;
  }

  std::vector<TimeAndMemory> simulated_frontier(const std::vector<Estimated>& possible) const {
    const size_t count = std::min(possible.size(), static_cast<size_t>(problem_.simulations));
    std::vector<Proposal> all(count);
    in_parallel(count, problem_.jobs, [&](size_t i) {
      all[i] = simulated(problem_, possible[i].candidate);
      all[i].findings.estimate_s = in_seconds(possible[i].estimate);
    });
    std::ranges::stable_sort(all, {}, [](const Proposal& one) {
      return std::pair(one.iteration_time_s.value_or(0), one.peak_memory_bytes);
    });
    std::vector<TimeAndMemory> points;
    for (const Proposal& one : all)
      if (one.feasible && (points.empty() || one.peak_memory_bytes < points.back().memory_bytes))
        points.push_back({one.plan, required(one.iteration_time_s, "it was simulated"),
                          one.peak_memory_bytes, true, one.findings.estimate_s});
    return points;
  }

  std::vector<LayerStrategy> strategies(int pipeline, int micro) {
    const int mesh = given_.devices / pipeline;
    std::vector<std::string> recompute = {""};
    if (given_.transformer) recompute = {"none", "selective", "full"};
    std::vector<LayerStrategy> all;
    for (const int tensor : divisors(mesh)) {
      const int data = mesh / tensor / given_.context;
      if (tensor > given_.devices_per_node || data * tensor * given_.context != mesh) continue;
      if (tensor > 1 && !given_.transformer) continue;
      if (given_.global % (int64_t{data} * micro) != 0) continue;
      for (const std::string& redo : recompute) {
        const Candidate c{.tensor = tensor,
                          .pipeline = pipeline,
                          .data = data,
                          .micro = micro,
                          .zero = data > 1,
                          .recompute = redo,
                          .schedule = schedule_named("1f1b")};
        try {
          all.push_back({c, chains_.of(c)});
        } catch (const Misfit&) {
          break;  // the model does not allow this degree
        }
      }
    }
    return all;
  }

  int64_t micro_batches(const Candidate& c) const {
    return given_.global / (int64_t{c.data} * c.micro);
  }

  void track(int pipeline, int micro) {
    const std::vector<LayerStrategy> strategies = this->strategies(pipeline, micro);
    if (strategies.empty() || static_cast<int>(strategies[0].chain.links.size()) < pipeline) return;
    FrontierProblem asked;
    for (size_t i = 0; i < strategies[0].chain.links.size(); ++i) {
      asked.links.emplace_back();
      for (const LayerStrategy& strategy : strategies) {
        const search::Link& link = strategy.chain.links[i];
        asked.links.back().push_back(
            {{link.both().ps * micro_batches(strategy.candidate) / pipeline},
             {(link.state + link.stash).count / pipeline}});
      }
    }
    asked.edge = [&](size_t link, int a, int b) -> Time {
      const LayerStrategy& from = strategies[static_cast<size_t>(a)];
      if (from.candidate.tensor == strategies[static_cast<size_t>(b)].candidate.tensor) return {};
      const Time once = from.chain.prices.transfer(0, 1, from.chain.links[link].output);
      return {2 * once.ps * micro_batches(from.candidate) / pipeline};
    };
    for (const FrontierPoint& point : frontier(asked)) keep(point, strategies);
  }

  void keep(const FrontierPoint& point, const std::vector<LayerStrategy>& strategies) {
    std::map<int, int> tensor;
    std::map<std::string, int> recompute;
    for (const int strategy : point.strategies) {
      ++tensor[strategies[static_cast<size_t>(strategy)].candidate.tensor];
      ++recompute[strategies[static_cast<size_t>(strategy)].candidate.recompute];
    }
    Candidate c = strategies[static_cast<size_t>(point.strategies.front())].candidate;
    const auto links = static_cast<int>(point.strategies.size());
    c.split = split_of(problem_, links % c.pipeline == 0 ? Split::even : Split::balanced);
    bool expressible = tensor.size() == 1;
    if (recompute.size() == 1) {
      c.recompute = recompute.begin()->first;
    } else if (recompute.size() == 2 && recompute.contains("none") && recompute.contains("full")) {
      c.recomputed = (recompute["full"] + c.pipeline - 1) / c.pipeline;
    } else {
      expressible = false;
    }
    std::string label = c.label();
    if (!expressible) {
      label = fmt::format("pipeline {}, micro {}", c.pipeline, c.micro);
      for (const auto& [degree, count] : tensor)
        label += fmt::format(", tensor {} in {}", degree, count);
      for (const auto& [redo, count] : recompute) label += fmt::format(", {} in {}", redo, count);
    }
    plans_.push_back({point.time, point.memory, std::move(label),
                      expressible ? std::optional(c) : std::nullopt});
  }

  void reduce() {
    std::ranges::stable_sort(plans_, [](const Plan& a, const Plan& b) {
      return std::pair(a.time, a.memory) < std::pair(b.time, b.memory);
    });
    std::vector<Plan> kept;
    for (Plan& plan : plans_)
      if (kept.empty() || plan.memory < kept.back().memory) kept.push_back(std::move(plan));
    plans_ = std::move(kept);
  }

  const Problem& problem_;
  Given given_;
  ChainTables chains_{problem_};
  std::vector<Plan> plans_;
};

Proposal propose(const Problem& problem) { return Job(problem).propose(); }

}  // namespace

const Planner planner::tensoropt{"tensoropt", "the time-memory frontier (TensorOpt)", propose};

}  // namespace pipewright::search
