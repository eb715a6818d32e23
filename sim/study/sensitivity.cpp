#include "study/sensitivity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/parallel.hpp"
#include "base/progress.hpp"
#include "config/catalogue.hpp"
#include "machine/machine_cache.hpp"
#include "machine/run_options.hpp"
#include "result/typical_time.hpp"

namespace pipewright {
namespace {

constexpr double more = 1.1;

struct Question {
  std::string resource;
  MachineFactors machine_factors;
};

/// All but the number of devices.
std::vector<Question> questions(const Machine& machine) {
  std::vector<Question> all;
  all.push_back({"device FLOP/s", {.flops = more}});
  all.push_back({"memory bandwidth", {.memory_bandwidth = more}});
  all.push_back({"memory", {.memory = more}});
  std::set<LinkKind> kinds;
  for (const Link& link : machine.topology().links()) kinds.insert(link.kind);
  for (const LinkKind kind : kinds) {
    all.push_back({fmt::format("{} bandwidth", name(kind)), {.links = kind, .bandwidth = more}});
    all.push_back({fmt::format("{} latency", name(kind)), {.links = kind, .latency = 1 / more}});
  }
  return all;
}

struct Larger {
  config::Value experiment;
  double devices = 1;  ///< how many times as many
};

/// The key of a cluster that counts what replicas are made of.
const char* counted(const config::Value& cluster) {
  if (cluster.find("nodes")) return "nodes";
  return cluster.find("device") && cluster.find("devices") ? "devices" : nullptr;
}

/// Runs of what has no schedule do not ask what if.
Experiment read_scheduled(const config::Value& document, const config::Catalogue& catalogue) {
  Experiment e = read_experiment(resolve(document, catalogue));
  if (e.has_schedule()) return e;
  const char* key = e.trace ? "trace" : e.traffic ? "traffic" : "peers";
  e.at(key).fail(fmt::format(
      "sensitivity needs an experiment with a schedule: one with '{}' can be simulated only", key));
}

/// Tells whether replicas share a batch: given times have none to share.
bool has_replicas(const Experiment& e) { return !e.synthetic; }

/// Returns the experiment with the next number of replicas that divides the batch and fills a whole
/// number of nodes.
std::optional<Larger> enlarged(const Experiment& e, const config::Value& resolved) {
  const config::Value& parallel = *resolved.find("parallel");
  const int64_t data = config::as_int(*parallel.find("data"), 1, INT32_MAX);
  const char* key = counted(e.at("cluster"));
  const config::Value* placement = e.document.find("placement");
  if (!key || (placement && placement->is_list())) return std::nullopt;
  const int64_t count = config::as_int(*e.at("cluster").find(key), 1, INT32_MAX);
  const int64_t global = config::as_int(*resolved.find("batch")->find("global"), 1, INT64_MAX);
  for (int64_t next = data + 1; next <= 2 * data; ++next) {
    if (global % (next * e.batch.micro) != 0 || count * next % data != 0) continue;
    Larger larger{e.document, static_cast<double>(next) / static_cast<double>(data)};
    larger.experiment.find("cluster")->set(key, config::number(count * next / data));
    larger.experiment.set("parallel", parallel);
    larger.experiment.find("parallel")->set("data", config::number(next));
    larger.experiment.set("batch", *resolved.find("batch"));
    return larger;
  }
  return std::nullopt;
}

class SensitivityStudy {
 public:
  SensitivityStudy(const config::Value& document, const config::Catalogue& catalogue,
                   const RunOptions& options)
      : catalogue_(catalogue),
        options_(options),
        e_(read_scheduled(document, catalogue)),
        machine_(read_machine(e_, catalogue, options)),
        base_(run_experiment(e_.document, catalogue, options).result) {
    if (e_.document.find("cluster")->is_scalar())
      e_.document.set("cluster", catalogue.resolve("clusters", e_.at("cluster")));
  }

  Sensitivity ask(int jobs) const {
    const std::vector<Question> all = questions(machine_);
    Sensitivity result{.iteration_time_s = in_seconds(typical_time(base_)),
                       .seeds = seeds_of(base_),
                       .feasible = base_.fit.feasible,
                       .rows = {},
                       .range = typical_range(base_),
                       .given = {},
                       .experiment = base_.experiment};
    result.rows.resize(all.size() + (has_replicas(e_) ? 1 : 0));
    begin_step("asking what if", result.rows.size());
    Progress* const progress = progress_of_thread();
    in_parallel(result.rows.size(), jobs, [&](size_t i) {
      const ProgressScope unseen(nullptr);  // a run is a part of the step
      result.rows[i] = i < all.size() ? answer(all[i]) : more_devices();
      end_part(progress);
    });
    std::ranges::stable_sort(result.rows, std::greater<>(), &SensitivityRow::gain);
    return result;
  }

 private:
  double gain(const RunResult& run) const {
    return in_seconds(typical_time(base_)) / in_seconds(typical_time(run)) - 1;
  }

  SensitivityRow answer(const Question& question) const {
    RunOptions options = options_;
    options.machine_factors = question.machine_factors;
    const RunResult run = run_experiment(e_.document, catalogue_, options).result;
    SensitivityRow row{.resource = question.resource,
                       .iteration_time_s = in_seconds(typical_time(run)),
                       .factor = more,
                       .gain = gain(run),
                       .feasible = run.fit.feasible,
                       .note = ""};
    if (run.fit.feasible && !base_.fit.feasible) row.note = "it would fit in memory";
    return row;
  }

  SensitivityRow more_devices() const {
    SensitivityRow row{
        .resource = "devices", .factor = more, .note = "no larger cluster divides the batch"};
    const std::optional<Larger> larger = enlarged(e_, base_.experiment);
    if (!larger) return row;
    const RunResult run = run_experiment(larger->experiment, catalogue_, options_).result;
    const double exponent = std::log(more) / std::log(larger->devices);
    row.gain = std::pow(1 + gain(run), exponent) - 1;
    row.iteration_time_s = in_seconds(typical_time(base_)) / (1 + row.gain);
    row.feasible = run.fit.feasible;
    row.note = fmt::format("from {:.3g} times as many, {:.3g} s", larger->devices,
                           in_seconds(typical_time(run)));
    return row;
  }

  const config::Catalogue& catalogue_;
  const RunOptions& options_;
  Experiment e_;
  Machine machine_;
  RunResult base_;
};

}  // namespace

Sensitivity sensitivity_of(const config::Value& experiment, const config::Catalogue& catalogue,
                           const RunOptions& options, int jobs) {
  Sensitivity result = SensitivityStudy(experiment, catalogue, options).ask(jobs);
  result.given = experiment;
  return result;
}

}  // namespace pipewright
