#include "report/json/sweep.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "base/json.hpp"
#include "result/best_probability.hpp"
#include "result/objectives.hpp"
#include "result/ranges.hpp"

namespace pipewright {

using Json = nlohmann::ordered_json;

namespace {

/// The iteration times of the runs that fit, in the order of the points.
std::vector<std::optional<double>> times_of(const SweepView& view) {
  const auto names = objective_names();
  const auto place = static_cast<size_t>(
      std::ranges::find(names, std::string_view("iteration_time_s")) - names.begin());
  std::vector<std::optional<double>> times;
  view.for_each([&](const SweepRun& run) {
    const bool counts = run.ran() && run.feasible && place < run.objectives.size();
    times.push_back(counts ? run.objectives[place] : std::nullopt);
  });
  return times;
}

/// A run by itself, with what the study set.
Json json_of(const SweepView& view, const SweepRun& run) {
  Json object;
  object["settings"] = Json::object();
  for (size_t i = 0; i < view.paths.size(); ++i)
    if (!run.settings[i].empty()) object["settings"][view.paths[i]] = run.settings[i];
  object["schedule"] = run.schedule;
  for (const char* name : {"devices", "idle_devices", "samples_per_s_per_device"})
    if (const std::optional<double> value = value_of(run, name))
      object[name] = name[0] == 's' ? Json(*value) : Json(static_cast<int64_t>(*value));
  if (run.ran())
    object.update(parse_ordered_json(run.json));
  else
    object["reason"] = run.reason;
  return object;
}

}  // namespace

void write_sweep_json(const SweepView& view, std::ostream& out) {
  const std::vector<std::optional<double>> times = times_of(view);
  const std::vector<double> best = best_probabilities(times, own_deviation());
  const std::vector<int> ranks = shared_ranks(times, own_deviation());
  size_t at = 0;
  out << "{\n\"schema\": \"pipewright.results/1\",\n\"results\": [";
  const char* separator = "\n";
  view.for_each([&](const SweepRun& run) {
    Json object = json_of(view, run);
    if (run.ran()) object["best_probability"] = best[at];
    if (ranks[at] > 0) object["rank"] = ranks[at];
    ++at;
    out << separator << dump_json(object);
    separator = ",\n";
  });
  out << "\n]\n}\n";
}

}  // namespace pipewright
