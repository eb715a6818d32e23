#include "study/reproduce.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>

#include "base/parallel.hpp"
#include "base/required.hpp"
#include "config/catalogue.hpp"
#include "machine/run_options.hpp"
#include "network/resharding/plan.hpp"
#include "result/objectives.hpp"
#include "topology/cluster/cluster.hpp"

namespace pipewright {
namespace {

using config::Value;

void apply(const std::vector<Setting>& settings, Value& experiment) {
  for (const Setting& setting : settings) pipewright::apply(setting, experiment);
}

/// One side of a claim: the best of its alternatives, or why there is none.
struct Side {
  std::string best;
  std::optional<double> value;
  std::string reason;
};

class ClaimTest {
 public:
  ClaimTest(const Claim& claim, const config::Catalogue& catalogue, const RunOptions& options)
      : claim_(claim), catalogue_(catalogue), options_(options) {}

  std::vector<ClaimCase> cases(const std::vector<Setting>& assumption) const {
    std::vector<ClaimCase> all;
    for (const Alternative& one : claim_.cases) all.push_back(run(one, assumption));
    return all;
  }

 private:
  bool gain() const { return is_gain(claim_.stated.quantity); }

  ClaimCase run(const Alternative& one, const std::vector<Setting>& assumption) const {
    Value experiment = claim_.experiment;
    apply(one.settings, experiment);
    apply(assumption, experiment);
    ClaimCase result{.name = one.name};
    const Side system = best(experiment, claim_.system);
    const Side baseline = one.printed
                              ? Side{.best = "as printed", .value = one.printed, .reason = {}}
                              : best(experiment, claim_.baseline);
    result.system = system.best;
    result.baseline = baseline.best;
    result.system_value = system.value;
    result.baseline_value = baseline.value;
    if (!system.value) result.reason = "system: " + system.reason;
    if (!baseline.value) result.reason = "baseline: " + baseline.reason;
    if (system.value && baseline.value) {
      result.ratio = gain() ? *system.value / *baseline.value : *baseline.value / *system.value;
    }
    return result;
  }

  Side best(const Value& experiment, const std::vector<Alternative>& alternatives) const {
    Side side;
    for (const Alternative& alternative : alternatives) {
      std::string reason;
      const std::optional<double> value = value_of(experiment, alternative.settings, reason);
      if (side.reason.empty()) side.reason = reason;
      if (!value) continue;
      if (side.value && (gain() ? *value <= *side.value : *value >= *side.value)) continue;
      side.value = value;
      side.best = alternative.name;
    }
    return side;
  }

  std::optional<double> value_of(Value experiment, const std::vector<Setting>& settings,
                                 std::string& reason) const {
    apply(settings, experiment);
    try {
      const RunResult result = run_experiment(experiment, catalogue_, options_).result;
      if (!result.fit.feasible) {
        reason = "does not fit in memory";
        return std::nullopt;
      }
      const std::optional<double> value = objective_value(result, claim_.stated.quantity);
      if (!value) reason = "has no " + claim_.stated.quantity;
      return value;
    } catch (const Misfit& misfit) {
      reason = misfit.message();
    } catch (const Failure& failure) {
      reason = failure.what();
    }
    return std::nullopt;
  }

  const Claim& claim_;
  const config::Catalogue& catalogue_;
  const RunOptions& options_;
};

std::optional<double> figure(const std::vector<ClaimCase>& cases, Sense sense) {
  std::vector<double> ratios;
  for (const ClaimCase& one : cases)
    if (one.ratio) ratios.push_back(*one.ratio);
  if (ratios.empty()) return std::nullopt;
  std::sort(ratios.begin(), ratios.end());
  if (sense == Sense::up_to) return ratios.back();
  const size_t middle = ratios.size() / 2;
  return ratios.size() % 2 ? ratios[middle] : (ratios[middle - 1] + ratios[middle]) / 2;
}

/// Seconds under the best balance of a strategy.
double fastest(const resharding::Comparison& all, const std::string& strategy) {
  double best = std::numeric_limits<double>::infinity();
  for (const resharding::Plan& plan : all.plans)
    if (name(plan.strategy) == strategy) best = std::min(best, in_seconds(plan.time));
  return best;
}

std::vector<ClaimCase> reshard(const ReshardClaim& claim, const config::Catalogue& catalogue) {
  const Cluster cluster = read_cluster(claim.cluster, catalogue);
  std::vector<ClaimCase> cases;
  for (const std::string& change : claim.changes) {
    const resharding::Comparison all =
        resharding::compare(cluster.topology, resharding::read_change(change), claim.bytes);
    ClaimCase one{.name = change, .system = claim.system, .baseline = claim.baseline};
    one.system_value = fastest(all, claim.system);
    one.baseline_value = fastest(all, claim.baseline);
    one.ratio = *one.baseline_value / *one.system_value;
    cases.push_back(std::move(one));
  }
  return cases;
}

/// Returns the ratio that is farthest from what a claim says, for what holds has to hold in every
/// case.
std::optional<double> farthest(const std::vector<ClaimCase>& cases, double says) {
  std::optional<double> worst;
  for (const ClaimCase& one : cases)
    if (one.ratio && (!worst || !(std::abs(*one.ratio - says) <= std::abs(*worst - says))))
      worst = one.ratio;
  return worst;
}

/// The figure is how close a system comes to its baseline, or how many times as good it is.
std::vector<ClaimCase> live(const std::string& check, const ReproduceOptions& options) {
  if (!options.live) return {{.reason = "nothing can be run live here"}};
  try {
    std::vector<ClaimCase> cases = options.live(check);
    for (ClaimCase& one : cases)
      one.ratio = required(one.system_value, "a live claim has it") /
                  required(one.baseline_value, "a live claim has it");
    return cases;
  } catch (const Failure& failure) {
    return {{.reason = failure.what()}};
  }
}

std::optional<double> least(const std::vector<ClaimCase>& cases) {
  std::optional<double> least;
  for (const ClaimCase& one : cases)
    if (one.ratio && (!least || *one.ratio < *least)) least = one.ratio;
  return least;
}

std::vector<ClaimCase> planned(const Claim& claim, const ReproduceOptions& options) {
  if (!options.plan) return {{.reason = "nothing can be planned here"}};
  try {
    return options.plan(claim.experiment, claim.frontier_of);
  } catch (const Failure& failure) {
    return {{.reason = failure.what()}};
  }
}

ClaimResult test(const Claim& claim, const config::Catalogue& catalogue,
                 const ReproduceOptions& options) {
  ClaimResult result = claim.stated;
  const ClaimTest test(claim, catalogue, options.run);
  if (claim.reshard)
    result.cases = reshard(*claim.reshard, catalogue);
  else if (!claim.live.empty())
    result.cases = live(claim.live, options);
  else if (!claim.frontier_of.empty())
    result.cases = planned(claim, options);
  else
    result.cases = test.cases({});
  if (!claim.live.empty())
    result.ratio = farthest(result.cases, result.says);
  else if (!claim.frontier_of.empty())
    result.ratio = least(result.cases);
  else
    result.ratio = figure(result.cases, result.sense);
  // What had to be guessed is no test, whatever comes out.
  if (result.expected != Verdict::not_testable)
    result.verdict = judge(result.ratio, result.says, result.tolerance, result.sense);
  if (!options.vary) return result;
  for (const Setting& assumption : claim.vary) {
    result.variations.push_back({fmt::format("{}: {}", assumption.path, one_line(assumption.value)),
                                 figure(test.cases({assumption}), result.sense)});
  }
  return result;
}

}  // namespace

std::vector<Reproduction> reproduce(const std::vector<Paper>& papers,
                                    const config::Catalogue& catalogue,
                                    const ReproduceOptions& options) {
  std::vector<Reproduction> all;
  std::vector<std::pair<size_t, size_t>> claims;
  for (const Paper& paper : papers) {
    for (size_t claim = 0; claim < paper.claims.size(); ++claim)
      claims.emplace_back(all.size(), claim);
    all.push_back({.name = paper.name,
                   .description = paper.description,
                   .source = paper.source,
                   .feature = paper.feature,
                   .claims = std::vector<ClaimResult>(paper.claims.size())});
  }
  std::mutex telling;
  size_t finished = 0;
  in_parallel(claims.size(), options.jobs, [&](size_t i) {
    const auto [paper, claim] = claims[i];
    all[paper].claims[claim] = test(papers[paper].claims[claim], catalogue, options);
    const std::lock_guard lock(telling);
    options.progress(++finished);
  });
  return all;
}

}  // namespace pipewright
