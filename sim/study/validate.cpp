#include "study/validate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <new>

#include "base/parallel.hpp"
#include "base/required.hpp"
#include "config/catalogue.hpp"
#include "experiment/anchor.hpp"
#include "experiment/experiment.hpp"
#include "machine/run_options.hpp"
#include "result/objectives.hpp"
#include "result/ranges.hpp"
#include "result/typical_time.hpp"
#include "topology/cluster/nccl_release.hpp"

namespace pipewright {
namespace {

using config::Fields;
using config::Value;

constexpr std::string_view measured_schema = "pipewright.measured/1";

Outcome read_outcome(const Value& value) {
  const Fields fields(value, "measured",
                      {"iteration_time_s", "samples_per_s", "peak_memory_bytes", "feasible"});
  if (value.entries.empty()) value.fail("'measured' must hold something that was measured");
  const auto number = [&](const char* key, auto&& base) -> std::optional<double> {
    const Value* found = fields.find(key);
    if (!found) return std::nullopt;
    const double read = base(*found);
    if (!(read >= 1e-12 && read <= 1e18)) found->fail("must be a number from 1e-12 to 1e+18");
    return read;
  };
  const auto bytes = [](const Value& v) { return static_cast<double>(config::as_bytes(v).count); };
  const auto plain = [](const Value& v) { return config::as_number(v, 1e-12, 1e18); };
  Outcome outcome{number("iteration_time_s", config::as_seconds), number("samples_per_s", plain),
                  number("peak_memory_bytes", bytes), std::nullopt};
  if (const Value* feasible = fields.find("feasible"))
    outcome.feasible = config::as_bool(*feasible);
  return outcome;
}

/// A framework means something to an experiment with a model that is no synthetic one.
bool has_framework(const Value& experiment) {
  const Value* model = experiment.is_map() ? experiment.find("model") : nullptr;
  return model && !(model->is_map() && model->find("synthetic"));
}

/// Returns the first word of `software`, or of an image there the name: jax of
/// ghcr.io/nvidia/jax:pax-2024-03-04.
std::string software_name(const std::string& software) {
  const std::string word = software.substr(0, software.find_first_of(" ,"));
  const std::string name = word.substr(word.rfind('/') + 1);
  return name.substr(0, name.find(':'));
}

/// Gives an experiment that names no framework the one that `software.framework` names, where it is
/// one.
void take_framework(const Value& software, Value& experiment) {
  const Value* named = software.find("framework");
  if (!named || !has_framework(experiment) || experiment.find("framework")) return;
  const std::string word = software_name(named->text);
  if (std::ranges::find(choices::framework, word) != std::end(choices::framework))
    experiment.set("framework", config::scalar(word));
}

/// Gives a cluster that names no release of NCCL the one that `software.nccl` names, or that
/// PyTorch's wheels of `software.pytorch` bring.
void take_nccl(const Value& software, Value& experiment) {
  const Value* pytorch = software.find("pytorch");
  std::optional<Value> release;
  if (const Value* named = software.find("nccl"))
    release = *named;
  else if (const auto shipped = pytorch ? nccl_of_pytorch(pytorch->text) : std::nullopt)
    release = config::scalar(*shipped);
  const Value* given = experiment.is_map() ? experiment.find("cluster") : nullptr;
  if (!release || !given || given->find("nccl")) return;
  Value cluster;
  cluster.mark = given->mark;
  if (given->is_map())
    cluster = *given;
  else
    cluster.set("base", *given);
  cluster.set("nccl", *release);
  experiment.set("cluster", std::move(cluster));
}

MeasuredRun read_run(const Value& value) {
  const Fields fields(value, "a measured run",
                      {"name", "group", "source", "trust", "experiment", "measured", "notes",
                       "software", "verified"});
  MeasuredRun run{.name = config::as_text(fields.at("name"), "a name"),
                  .group = fields.text("group", "all"),
                  .experiment = fields.at("experiment"),
                  .measured = read_outcome(fields.at("measured"))};
  if (const Value* software = fields.find("software")) {
    take_framework(*software, run.experiment);
    take_nccl(*software, run.experiment);
  }
  return run;
}

/// Gives the runs the titles of their groups. A title of no group is a mistake.
void read_titles(const Value& groups, std::vector<MeasuredRun>& runs) {
  if (!groups.is_map()) groups.fail("'groups' must give each group its title");
  for (const config::Entry& entry : groups.entries) {
    const std::string title = config::as_text(entry.value, "a title");
    bool used = false;
    for (MeasuredRun& run : runs) {
      if (run.group != entry.key) continue;
      run.group_title = title;
      used = true;
    }
    if (!used) entry.value.fail(fmt::format("no run is of the group '{}'", entry.key));
  }
}

Outcome outcome_of(const RunResult& result) {
  Bytes most;
  for (const RankResult& rank : result.metrics.ranks) most = std::max(most, rank.memory.total());
  return {in_seconds(typical_time(result)), objective_value(result, "samples_per_s"),
          static_cast<double>(most.count), result.fit.feasible};
}

/// Returns the range of a run that its own group does not vouch for.
Range range_without_group(const MeasuredRun& run, const Regime& regime,
                          const config::Catalogue& catalogue) {
  const Value resolved = resolve(run.experiment, catalogue);
  if (const Value* anchor = resolved.find("anchor"))
    return anchored_range_of(regime, read_anchor(*anchor), run.group).range;
  return range_of(regime, run.group).range;
}

ValidationRun predict(const MeasuredRun& run, const config::Catalogue& catalogue,
                      const RunOptions& options) {
  ValidationRun row{.name = run.name,
                    .group = run.group,
                    .group_title = run.group_title,
                    .measured = run.measured};
  try {
    const RunResult result = run_experiment(run.experiment, catalogue, options).result;
    row.predicted = outcome_of(result);
    row.regime = required(result.ranges.uncertainty, "every run says it").regime;
    row.range = range_without_group(run, row.regime, catalogue);
  } catch (const InputError& error) {
    row.reason = error.message();
  } catch (const Failure& error) {
    row.reason = error.what();
  } catch (const std::bad_alloc&) {
    row.reason = "too large for the memory of this machine";
  }
  return row;
}

}  // namespace

std::vector<MeasuredRun> read_measured_runs(const Value& document) {
  const Fields fields(document, "a file of measured runs",
                      {"schema", "description", "groups", "runs"});
  const Value& schema = fields.at("schema");
  if (config::as_text(schema, "a schema") != measured_schema)
    schema.fail(fmt::format("'{}' must be {}", schema.text, measured_schema));
  const Value& list = fields.at("runs");
  if (!list.is_list() || list.items.empty()) list.fail("'runs' must be a list of measured runs");
  std::vector<MeasuredRun> runs;
  for (const Value& item : list.items) runs.push_back(read_run(item));
  if (const Value* groups = fields.find("groups")) read_titles(*groups, runs);
  return runs;
}

Validation validate(const std::vector<MeasuredRun>& runs, const config::Catalogue& catalogue,
                    const RunOptions& options, int jobs,
                    const std::function<void(size_t done)>& done) {
  std::vector<ValidationRun> rows(runs.size());
  std::mutex telling;
  size_t finished = 0;
  in_parallel(runs.size(), jobs, [&](size_t i) {
    rows[i] = predict(runs[i], catalogue, options);
    const std::lock_guard lock(telling);
    done(++finished);
  });
  return validation_of(std::move(rows));
}

}  // namespace pipewright
