#include "diagnose/balanced_layout.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <tuple>

namespace pipewright::diagnose {
namespace {

/// Layouts that are run at most, and operations over all of these runs: a second or two.
constexpr int64_t most_tries = 1000, most_work = 10'000'000;

class Layout {
 public:
  Layout(const Evidence& evidence, std::vector<int> layers)
      : evidence_(evidence), job_(evidence.job), layers_(std::move(layers)) {
    measure_stages();
  }

  /// How long steps take when the passes of each stage take so many times as long.
  std::vector<Time> steps_with(const std::vector<double>& factors) const {
    std::vector<Time> lengths = evidence_.lengths;
    evidence_.for_each([&](const TracedOperation& one, OpId body) {
      const int stage = job_.model_stage(one);
      if (computes(one.kind) && stage >= 0)
        lengths[body] = seconds(in_seconds(lengths[body]) * factors[static_cast<size_t>(stage)]);
    });
    return step_times(evidence_.trace, lengths);
  }

  std::vector<double> even() const {
    const double mean =
        std::accumulate(cost_.begin(), cost_.end(), 0.0) / static_cast<double>(cost_.size());
    std::vector<double> factors;
    for (const double cost : cost_) factors.push_back(cost > 0 ? mean / cost : 1);
    return factors;
  }

  /// The best numbers of layers; none where what a layer takes cannot be told.
  std::optional<std::vector<int>> best_layers() const {
    const double layer = layer_cost();
    if (layer <= 0) return std::nullopt;
    std::vector<int> found(layers_.size());
    std::vector<double> cost = extra_costs(layer);
    for (int left = std::accumulate(layers_.begin(), layers_.end(), 0); left > 0; --left) {
      const size_t stage = least(cost, found, layer);
      cost[stage] += layer;
      ++found[stage];
    }
    return found;
  }

  std::vector<double> factors_of(const std::vector<int>& found) const {
    const double layer = layer_cost();
    const std::vector<double> extra = extra_costs(layer);
    std::vector<double> factors;
    for (size_t stage = 0; stage < cost_.size(); ++stage)
      factors.push_back(cost_[stage] > 0 ? (extra[stage] + found[stage] * layer) / cost_[stage]
                                         : 1);
    return factors;
  }

  /// Moves one layer after another from stage to stage as long as that shortens steps: where a rank
  /// has several stages, it counts which of them has a layer.
  std::vector<int> improved(std::vector<int> found) const {
    const auto operations = static_cast<int64_t>(evidence_.lengths.size());
    int64_t tries = std::min(most_tries, most_work / std::max<int64_t>(operations, 1));
    double best = seconds_with(found);
    for (bool better = true; better;) {
      better = false;
      for (size_t from = 0; from < found.size(); ++from)
        for (size_t to = 0; to < found.size(); ++to) {
          if (from == to || found[from] == 0) continue;
          if (tries-- == 0) return found;
          --found[from], ++found[to];
          if (const double steps = seconds_with(found); steps < best) {
            best = steps;
            better = true;
          } else {
            ++found[from], --found[to];
          }
        }
    }
    return found;
  }

  const std::vector<int>& layers() const { return layers_; }
  bool knows_layers() const { return layers_.size() == cost_.size() && cost_.size() > 2; }

 private:
  double seconds_with(const std::vector<int>& found) const {
    return mean_seconds(steps_with(factors_of(found)));
  }

  /// What one micro-batch takes on each stage: the sum of the medians of its passes.
  void measure_stages() {
    std::map<std::pair<int, OperationKind>, std::vector<double>> times;
    evidence_.for_each([&](const TracedOperation& one, OpId body) {
      if (computes(one.kind) && job_.model_stage(one) >= 0)
        times[{job_.model_stage(one), one.kind}].push_back(evidence_.steady(body));
    });
    cost_.assign(static_cast<size_t>(job_.model_stages()), 0);
    for (auto& [pass, all] : times)
      cost_[static_cast<size_t>(pass.first)] += median_of(std::move(all));
  }

  /// Of the stages that have layers alone.
  double layer_cost() const {
    std::vector<double> costs;
    for (size_t stage = 1; stage + 1 < cost_.size(); ++stage)
      if (layers_[stage] > 0) costs.push_back(cost_[stage] / layers_[stage]);
    return costs.empty() ? 0 : median_of(std::move(costs));
  }

  std::vector<double> extra_costs(double layer) const {
    std::vector<double> extra(cost_.size());
    for (const size_t stage : {size_t{0}, cost_.size() - 1})
      extra[stage] = std::max(0.0, cost_[stage] - layers_[stage] * layer);
    return extra;
  }

  /// The stage whose rank has least to do with one layer more; of those of a rank the emptiest.
  size_t least(const std::vector<double>& cost, const std::vector<int>& found, double layer) const {
    std::map<int, double> of_rank;
    for (size_t stage = 0; stage < cost.size(); ++stage)
      of_rank[job_.holder_of(static_cast<int>(stage), 0)] += cost[stage];
    size_t best = 0;
    for (size_t stage = 1; stage < cost.size(); ++stage) {
      const auto key = [&](size_t at) {
        return std::pair(of_rank[job_.holder_of(static_cast<int>(at), 0)] + layer, found[at]);
      };
      if (key(stage) < key(best)) best = stage;
    }
    return best;
  }

  const Evidence& evidence_;
  const MeasuredJob& job_;
  std::vector<int> layers_;
  std::vector<double> cost_;  ///< by stage of the model, seconds
};

}  // namespace

namespace {

/// Nobody knows how much a stage can take on of which the trace has no rank.
bool has_all_stages(const MeasuredJob& job) {
  std::set<int32_t> stages;
  for (const TracedOperation& one : job.operations)
    if (computes(one.kind)) stages.insert(one.stage);
  return stages.size() == static_cast<size_t>(job.stages);
}

}  // namespace

namespace {

struct Advice {
  std::vector<Time> steps;
  std::string words;
};

bool is_of_layers(const Cause& cause) {
  return cause.kind == CauseKind::stage && !cause.of_devices;
}

/// What curing all slow stages recovers: those that are told after others besides these.
double recovered_by_all(const std::vector<Cause>& causes) {
  double sum = 0;
  for (const Cause& cause : causes)
    if (is_of_layers(cause)) sum += cause.attributed_s;
  return sum;
}

/// A layout that evens all stages may bring more than the cure of the slowest alone. It brings no
/// more than the cures of all that are slow, and says that it is for them.
void add_to_first(const Advice& advice, double recovered, const std::vector<Time>& before,
                  std::vector<Cause>& causes) {
  Cause& first = *std::ranges::find_if(causes, is_of_layers);
  const double alone = first.recovered_s, most = std::max(alone, recovered_by_all(causes));
  first.remedied_s = std::min(recovered, most);
  if (const auto spread = spread_of_gain(before, advice.steps); spread && recovered <= most)
    std::tie(first.gain_p10_s, first.gain_p90_s) = *spread;
  first.remedy += ", " + advice.words;
  if (*first.remedied_s > alone) first.remedy += "; that is for the stages of other causes, too";
}

/// One layout is for all stages, and stands in the row of the slowest. Returns whether it brings
/// anything.
bool add_to_stages(const Evidence& evidence, const Advice& advice, std::vector<Cause>& causes) {
  const std::vector<Time> before = step_times(evidence.trace, evidence.lengths);
  const double recovered = mean_seconds(before) - mean_seconds(advice.steps);
  if (recovered <= 0) return false;
  add_to_first(advice, recovered, before, causes);
  const auto first = std::ranges::find_if(causes, is_of_layers);
  for (auto other = std::next(first); other != causes.end(); ++other)
    if (is_of_layers(*other))
      other->remedy += "; the layout that cures " + first->who + " has that in it";
  return true;
}

}  // namespace

std::string advise_layout(const Evidence& evidence, const std::vector<int>& layers,
                          std::vector<Cause>& causes) {
  if (std::ranges::find(causes, CauseKind::stage, &Cause::kind) == causes.end())
    return "no stage is slower than the others";
  if (std::ranges::none_of(causes, is_of_layers))
    return "the devices of the stage are slow, and not its layers";
  if (!has_all_stages(evidence.job)) return "the trace lacks ranks of some stages";
  const Layout layout(evidence, layers);
  Advice advice{layout.steps_with(layout.even()), "with the work of all stages spread evenly"};
  auto best = layout.knows_layers() ? layout.best_layers() : std::nullopt;
  if (best) best = layout.improved(std::move(*best));
  if (best && *best != layers)
    advice = {layout.steps_with(layout.factors_of(*best)),
              fmt::format("with layers [{}] in place of [{}]", fmt::join(*best, ", "),
                          fmt::join(layers, ", "))};
  const bool gains = add_to_stages(evidence, advice, causes);
  if (best && (!gains || *best == layers)) return "no other layout of the layers takes less time";
  if (best) return {};
  return "what a layer takes is told by stages between the first and the last, and there is none "
         "with layers";
}

}  // namespace pipewright::diagnose
