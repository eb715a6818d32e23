#include "simulate/remedies.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/parallel.hpp"
#include "config/catalogue.hpp"
#include "experiment/experiment.hpp"
#include "machine/machine_cache.hpp"
#include "simulate/quick_run.hpp"
#include "workload/model/model.hpp"

namespace pipewright {
namespace {

using config::Value;

constexpr uint64_t most_events = 100'000;
constexpr uint64_t most_unfolded_ops = 1'000'000;  // of a remedy
constexpr size_t most_remedies = 3;

/// A change of one kind, as --set takes it.
struct Change {
  std::string kind;
  std::vector<std::string> settings;
};

/// Returns the replicas of a job. An experiment that does not say them has what the cluster has
/// room for, which `resolved` tells.
int replicas_of(const Experiment& e, const Value& resolved) {
  const Value* parallel = resolved.find("parallel");
  const Value* data = parallel && parallel->is_map() ? parallel->find("data") : nullptr;
  return data ? static_cast<int>(config::as_int(*data, 1, INT32_MAX)) : e.parallel.data;
}

/// Returns how many devices the first node has.
int devices_of_node(const Topology& topology) {
  int devices = 1;
  while (devices < topology.devices() && topology.node(devices) == topology.node(0)) ++devices;
  return devices;
}

/// The changes that an experiment may be given, one at a time.
class Changes {
 public:
  /// `resolved` is the experiment with what it does not say, `node` the devices of a node.
  Changes(const Experiment& e, const Value& resolved, int node)
      : e_(e), data_(replicas_of(e, resolved)) {
    const Value* batch = e.document.find("batch");
    if (!batch || !batch->find("global"))
      same_batch_ = fmt::format("batch.global={}", resolved.find("batch")->find("global")->text);
    add_recompute();
    add_offload();
    for (int stage = e.parallel.zero + 1; stage <= 3 && data_ > 1; ++stage)
      add("zero", {fmt::format("parallel.zero={}", stage)});
    for (int64_t micro = e.batch.micro; micro % 2 == 0;) {
      micro /= 2;
      add("micro", with_same_batch({fmt::format("batch.micro={}", micro)}));
    }
    add_ranks("tensor", e.parallel.tensor);
    add_ranks("pipeline", e.parallel.pipeline);
    add_experts(node);
  }

  const std::vector<Change>& all() const { return all_; }
  /// Returns those that let more devices than a node has share experts, where nodes have several.
  /// They are none of all().
  const std::vector<Change>& beyond_node() const { return beyond_node_; }
  std::vector<Change> with_beyond_node() const {
    std::vector<Change> both = all_;
    both.insert(both.end(), beyond_node_.begin(), beyond_node_.end());
    return both;
  }

 private:
  void add(const std::string& kind, std::vector<std::string> settings) {
    all_.push_back({kind, std::move(settings)});
  }

  /// Where the degrees decide the batch, it is said what it was.
  std::vector<std::string> with_same_batch(std::vector<std::string> settings) const {
    if (!same_batch_.empty()) settings.push_back(same_batch_);
    return settings;
  }

  void add_recompute() {
    const Recompute& now = e_.recompute;
    if (now.block && now.blocks < 0) return;
    if (!now.any()) add("recompute", {"recompute=selective"});
    add("recompute", {"recompute=full"});
  }

  void add_offload() {
    if (e_.offload.any()) return;
    for (const char* what : {"optimizer", "activations", "weights"})
      add("offload", {fmt::format("offload={}", what)});
  }

  /// Tells whether the experiment says that weights are cut over all replicas, as a resolved one
  /// does.
  bool says_that_all_share() const {
    const Value* parallel = e_.document.find("parallel");
    return parallel && parallel->is_map() && parallel->find("shard") &&
           e_.parallel.shard == data_ * e_.parallel.context;
  }

  /// Two and four times as many of `degree`, with as many replicas less.
  void add_ranks(const char* degree, int now) {
    for (const int times : {2, 4}) {
      if (data_ % times != 0) return;
      std::vector<std::string> settings{fmt::format("parallel.{}={}", degree, now * times),
                                        fmt::format("parallel.data={}", data_ / times)};
      if (says_that_all_share())
        settings.push_back(fmt::format("parallel.shard={}", data_ / times * e_.parallel.context));
      add("ranks", with_same_batch(std::move(settings)));
    }
  }

  /// More devices that share the experts of a layer: every number that divides the experts and the
  /// devices of a stage. Alone, and where replicas share nothing, with an optimizer state that they
  /// do share, which costs next to no time.
  void add_experts(int node) {
    if (!e_.model) return;
    const auto& experts = e_.model->transformer.experts;
    if (!experts) return;
    const auto& now = e_.parallel;
    const int64_t sharers = int64_t{now.tensor} * now.context * data_;
    const int64_t most = std::gcd(experts->count, sharers / now.expert_tensor);
    for (int64_t degree = now.expert + 1; degree <= most; ++degree) {
      if (most % degree != 0) continue;
      const bool is_near = node == 1 || degree * now.expert_tensor <= node;
      std::vector<Change>& changes = is_near ? all_ : beyond_node_;
      const std::string setting = fmt::format("parallel.expert={}", degree);
      changes.push_back({"expert", {setting}});
      if (now.zero == 0 && data_ > 1) changes.push_back({"expert", {setting, "parallel.zero=1"}});
    }
  }

  const Experiment& e_;
  int data_;
  std::string same_batch_;
  std::vector<Change> all_, beyond_node_;
};

/// Tells whether two changes give one key unlike values.
bool contradict(const Change& a, const Change& b) {
  const auto key = [](const std::string& setting) { return setting.substr(0, setting.find('=')); };
  for (const std::string& one : a.settings)
    for (const std::string& other : b.settings)
      if (one != other && key(one) == key(other)) return true;
  return false;
}

/// Every two changes of unlike kinds, as one.
std::vector<Change> pairs_of(const std::vector<Change>& changes) {
  std::vector<Change> pairs;
  for (size_t a = 0; a < changes.size(); ++a)
    for (size_t b = a + 1; b < changes.size(); ++b) {
      if (changes[a].kind == changes[b].kind || contradict(changes[a], changes[b])) continue;
      Change& both = pairs.emplace_back(changes[a]);
      for (const std::string& setting : changes[b].settings)
        if (std::ranges::find(both.settings, setting) == both.settings.end())
          both.settings.push_back(setting);
    }
  return pairs;
}

/// Simulates changes of one experiment.
class Trials {
 public:
  /// Remedies are told the iteration on median chips.
  Trials(const Value& document, const config::Catalogue& catalogue, const RunOptions& options)
      : document_(without_variation(document)), catalogue_(catalogue), options_(options) {
    options_.if_free = false;
    options_.most_unfolded_ops = most_unfolded_ops;
    jobs_ = std::exchange(options_.jobs, 1);
    if (!options_.machines) options_.machines = std::make_shared<MachineCache>();
  }

  /// Returns those under which the experiment fits, the quickest first.
  std::vector<Remedy> of(const std::vector<Change>& changes) const {
    std::vector<std::optional<Remedy>> tried(changes.size());
    in_parallel(changes.size(), jobs_, [&](size_t i) { tried[i] = trial(changes[i]); });
    std::vector<Remedy> fitting;
    for (std::optional<Remedy>& one : tried)
      if (one) fitting.push_back(std::move(*one));
    std::ranges::stable_sort(fitting, {}, &Remedy::iteration);
    return fitting;
  }

 private:
  std::optional<Remedy> trial(const Change& change) const {
    Value document = document_;
    for (const std::string& setting : change.settings) config::set_path(document, setting);
    try {
      const RunResult result = run_quickly(document, catalogue_, options_);
      if (!result.fit.feasible) return std::nullopt;
      return Remedy{change.settings, result.metrics.iteration, result.fit.fullest};
    } catch (const InputError&) {
      return std::nullopt;  // the model or the cluster does not allow it
    } catch (const Failure&) {
      return std::nullopt;
    }
  }

  Value document_;
  const config::Catalogue& catalogue_;
  RunOptions options_;
  int jobs_ = 1;
};

}  // namespace

std::vector<Remedy> remedies_for(const Value& document, const RunResult& result,
                                 const config::Catalogue& catalogue, const RunOptions& options) {
  if (result.fit.feasible || result.cost.events > most_events) return {};
  const Experiment experiment = read_experiment(resolve(document, catalogue));
  if (experiment.kind() != ExperimentKind::model) return {};
  const Trials trials(document, catalogue, options);
  const Machine machine = machine_of(experiment, catalogue, options);
  const Changes changes(experiment, result.experiment, devices_of_node(machine.topology()));
  std::vector<Remedy> found = trials.of(changes.all());
  if (found.empty()) found = trials.of(changes.beyond_node());
  if (found.empty()) found = trials.of(pairs_of(changes.with_beyond_node()));
  found.resize(std::min(found.size(), most_remedies));
  return found;
}

void add_remedies(const Value& document, RunResult& result, const config::Catalogue& catalogue,
                  const RunOptions& options) {
  Fit& fit = result.fit;
  fit.remedies = remedies_for(document, result, catalogue, options);
  if (fit.feasible || !fit.remedies.empty() || !result.experiment.value().find("model")) return;
  fit.no_remedy = result.cost.events > most_events
                      ? "nothing was tried, as the job is large: 'pipewright plan' searches"
                      : "nothing that was tried: 'pipewright plan' searches further";
}

}  // namespace pipewright
