#include "search/fewer_nodes.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <ranges>

#include "base/progress.hpp"
#include "search/chain.hpp"
#include "search/refinement.hpp"
#include "search/space.hpp"

namespace pipewright::search {
namespace {

/// Returns the seconds that an iteration may take as far as one limit says.
std::optional<double> longest_iteration(const Problem& problem, const Given& given,
                                        const Limit& limit) {
  if (limit.quantity == "iteration_time") return limit.most;
  const config::Value* training = problem.experiment.find("training");
  if (limit.quantity != "time_to_train" || !training || given.sequence == 0) return std::nullopt;
  const double tokens = config::as_count(*training->find("tokens"));
  const double of_iteration =
      static_cast<double>(given.global) * static_cast<double>(given.sequence);
  return limit.most * of_iteration / tokens;
}

/// Returns the seconds beyond which an iteration is within no limit, even after a refinement.
std::optional<double> useless_iteration(const Problem& problem, const Given& given) {
  std::optional<double> longest;
  for (const Limit& limit : problem.limits)
    if (const auto its = longest_iteration(problem, given, limit))
      longest = std::min(its.value(), longest.value_or(its.value()));
  return longest ? std::optional(most_gain * *longest) : std::nullopt;
}

/// Device-seconds that a sequence takes at the least: the micro-batch and tensor degree of the best
/// of one node, nothing recomputed, nothing waiting. No plan of any planner here needs less.
double least_device_seconds(const Problem& problem, const Given& given) {
  double least = std::numeric_limits<double>::infinity();
  for (const int tensor : divisors(given.devices_per_node)) {
    for (int micro = 1; micro <= 64; micro *= 2) {
      Candidate c{.tensor = tensor, .micro = micro, .schedule = schedule_named("1f1b")};
      if (given.transformer) c.recompute = "none";
      try {
        Time busy;
        for (const LayerTimes& times : layer_table(problem, c).times)
          busy += times.both() - times.forward_tail - times.backward_tail;
        least = std::min(least, in_seconds(busy) * tensor * given.context / micro);
      } catch (const Misfit&) {
        break;  // the model does not allow this degree
      }
    }
  }
  return least;
}

/// Tells whether limits on time can be kept by devices that never wait.
class Sieve {
 public:
  Sieve(const Problem& problem, const Given& given, bool slices)
      : problem_(problem), given_(given) {
    const auto says = [&](const char* key) { return problem.experiment.find(key) != nullptr; };
    const bool sound = given.whole_sequences && given.by_layers && !slices && !says("stragglers") &&
                       !says("variation") && !says("overlap");
    if (sound) device_seconds_ = least_device_seconds(problem, given);
  }

  bool passes(int nodes) const {
    const auto global = static_cast<double>(given_.global);
    const double iteration = global * device_seconds_ / (nodes * given_.devices_per_node);
    return std::ranges::all_of(problem_.limits, [&](const Limit& limit) {
      if (limit.quantity == "nodes") return nodes <= limit.most;
      return iteration <= longest_iteration(problem_, given_, limit).value_or(iteration);
    });
  }

 private:
  const Problem& problem_;
  const Given& given_;
  double device_seconds_ = 0;
};

/// The cluster of a problem, with fewer nodes.
class Shrunk {
 public:
  explicit Shrunk(const Problem& problem)
      : problem_(problem), cluster_(problem_.experiment.find("cluster")) {
    *cluster_ = problem.catalogue.resolve("clusters", *cluster_);
  }
  Shrunk(const Shrunk&) = delete;
  Shrunk& operator=(const Shrunk&) = delete;

  bool counts_nodes() const { return cluster_->find("nodes") || cluster_->find("node"); }
  /// Lets nobody see how far the search on one number of nodes is.
  void hide_progress() { problem_.progress = nullptr; }
  [[noreturn]] void fail(const char* what) const { cluster_->fail(what); }

  /// Returns the problem on so many nodes of `all`, each with as many devices as before.
  Problem& to(int nodes, const Given& all) {
    cluster_->set("nodes", config::number(nodes));
    if (cluster_->find("devices"))
      cluster_->set("devices", config::number(nodes * all.devices_per_node));
    return problem_;
  }

 private:
  Problem problem_;
  config::Value* cluster_;
};

/// Keeps the better of two proposals of one planner, and the other among those that come next.
void keep_better(const Problem& problem, Proposal one, Proposal& kept) {
  const double search_s = one.findings.search_s + kept.findings.search_s;
  if (kept.plan.empty() || (!one.plan.empty() && better(problem, one, kept))) std::swap(one, kept);
  kept.findings.search_s = search_s;
  std::vector<Proposal>& next = kept.runners_up;
  next.insert(next.end(), one.runners_up.begin(), one.runners_up.end());
  one.runners_up.clear();
  if (one.satisfies) next.push_back(std::move(one));
  std::ranges::stable_sort(
      next, [&](const Proposal& a, const Proposal& b) { return better(problem, a, b); });
  next.resize(std::min(next.size(), static_cast<size_t>(problem.keep - 1)));
}

/// Returns the index of the best proposal that satisfies every limit.
std::optional<size_t> best_of_all(const Problem& problem, const std::vector<Proposal>& proposals) {
  std::optional<size_t> best;
  for (size_t i = 0; i < proposals.size(); ++i)
    if (proposals[i].satisfies && (!best || better(problem, proposals[i], proposals[*best])))
      best = i;
  return best;
}

/// Returns the seconds beyond which an iteration on so many nodes costs more than `best`: the price
/// of a node is the same whatever their number is.
double too_dear(const Proposal& best, int nodes) {
  return best.iteration_time_s.value_or(0) * best.nodes / nodes;
}

/// Returns the numbers of nodes to try where their number is open: every one to 8, then 12, 16, 24,
/// 32 and so on, which batches and layers divide over, and all.
std::vector<int> numbers_to_try(int all) {
  constexpr int every = 8;
  std::vector<int> numbers;
  for (int nodes = 1; nodes <= std::min(every, all); ++nodes) numbers.push_back(nodes);
  for (int64_t power = every; power < all; power *= 2)
    for (const int64_t nodes : {power + power / 2, 2 * power})
      if (nodes < all) numbers.push_back(static_cast<int>(nodes));
  if (all > every) numbers.push_back(all);
  return numbers;
}

/// Returns what is found on fewer nodes; nothing where the job is not one of so few: it names a
/// device that is not there, or the fabric has a size of its own.
std::optional<PlanResult> of_fewer(const Ask& ask, const Problem& smaller) {
  try {
    return ask(smaller);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

bool limits_cost(const Problem& problem) {
  return std::ranges::count(problem.limits, "cost", &Limit::quantity) > 0;
}

/// Adds what is found on one number of nodes to what is found on others.
void add_found(const Problem& problem, PlanResult found, PlanResult& result) {
  result.proposals.resize(found.proposals.size());
  for (size_t i = 0; i < found.proposals.size(); ++i)
    keep_better(problem, std::move(found.proposals[i]), result.proposals[i]);
  result.best = best_of_all(problem, result.proposals);
}

/// Returns the most nodes that limits leave of all; all where they leave none.
int most_nodes(const Problem& problem, const Given& given) {
  double most = given.nodes;
  for (const Limit& limit : problem.limits)
    if (limit.quantity == "nodes") most = std::min(most, limit.most);
  return most < 1 ? given.nodes : static_cast<int>(most);
}

/// Returns what is found on so many nodes.
using AskOn = std::function<std::optional<PlanResult>(int nodes)>;

/// Returns what is found on the first of `numbers` on which a plan satisfies; on the last where
/// none does.
PlanResult first_of(const std::vector<int>& numbers, const AskOn& on) {
  PlanResult result;
  for (size_t i = 0; i < numbers.size() && !result.best; ++i)
    if (std::optional<PlanResult> found = on(numbers[i])) result = std::move(*found);
  return result;
}

/// first_of(), where a plan on one number of nodes is one on every greater number.
PlanResult first_by_halves(const std::vector<int>& numbers, const AskOn& on) {
  begin_step("clusters tried", std::bit_width(numbers.size()));
  Progress* const progress = progress_of_thread();
  const ProgressScope unseen(nullptr);
  std::optional<PlanResult> found;  // on numbers[last]
  size_t first = 0, last = numbers.size() - 1;
  while (first < last) {
    const size_t middle = first + (last - first) / 2;
    std::optional<PlanResult> half = on(numbers[middle]);
    if (half && half->best) {
      found = std::move(half);
      last = middle;
    } else {
      first = middle + 1;
    }
    end_part(progress);
  }
  if (!found) found = on(numbers[last]);
  end_part(progress);
  return found ? std::move(*found) : PlanResult{};
}

}  // namespace

PlanResult fewest_nodes(const Problem& problem, const Ask& ask, Askers askers) {
  Shrunk smaller(problem);
  if (!smaller.counts_nodes())
    smaller.fail("fewer nodes can only be tried of a cluster of one kind of nodes");
  const Given given = given_by(problem);
  const Sieve sieve(problem, given, askers.slices);
  std::vector<int> numbers;
  for (int nodes = 1; nodes <= given.nodes; ++nodes)
    if (nodes == given.nodes || sieve.passes(nodes)) numbers.push_back(nodes);
  const std::optional<double> useless = useless_iteration(problem, given);
  const AskOn on = [&](int nodes) -> std::optional<PlanResult> {
    Problem& one = smaller.to(nodes, given);
    one.reached = nodes < given.nodes ? useless : std::nullopt;
    return nodes < given.nodes ? of_fewer(ask, one) : ask(one);
  };
  if (!askers.spares || limits_cost(problem)) return first_of(numbers, on);
  smaller.hide_progress();
  return first_by_halves(numbers, on);
}

PlanResult least_cost(const Problem& problem, const Ask& ask, Askers askers) {
  Shrunk smaller(problem);
  if (!smaller.counts_nodes()) return ask(problem);
  const Given given = given_by(problem);
  const Sieve sieve(problem, given, askers.slices);
  PlanResult result;
  for (const int nodes : numbers_to_try(given.nodes)) {
    if (nodes < given.nodes && !sieve.passes(nodes)) continue;
    Problem& one = smaller.to(nodes, given);
    if (result.best && problem.keep == 1)
      one.reached = too_dear(result.proposals[*result.best], nodes);
    std::optional<PlanResult> found =
        nodes == given.nodes ? std::optional(ask(one)) : of_fewer(ask, one);
    if (found) add_found(problem, std::move(*found), result);
  }
  result.most_nodes = given.nodes;
  return result;
}

PlanResult quickest_within(const Problem& problem, const Ask& ask, Askers askers) {
  Shrunk smaller(problem);
  const Given given = given_by(problem);
  const int most = most_nodes(problem, given);
  if (!smaller.counts_nodes() || (most == given.nodes && !limits_cost(problem)))
    return ask(problem);
  const Sieve sieve(problem, given, askers.slices);
  PlanResult result;
  for (const int nodes : numbers_to_try(most) | std::views::reverse) {
    if (!result.proposals.empty() && !sieve.passes(nodes)) continue;
    Problem& one = smaller.to(nodes, given);
    if (result.best && problem.keep == 1)
      one.reached = result.proposals[*result.best].iteration_time_s;
    if (std::optional<PlanResult> found = of_fewer(ask, one))
      add_found(problem, std::move(*found), result);
  }
  return result.proposals.empty() ? ask(problem) : result;
}

}  // namespace pipewright::search
