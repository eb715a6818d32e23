#include "report/json/sweep.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "base/json.hpp"
#include "report/json/document.hpp"
#include "report/ranking/shared_errors.hpp"
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

/// By run, its chance to be the fastest and its rank.
struct Standing {
  std::vector<double> best;
  std::vector<int> ranks;
};

/// What does the same job with more work has no chance, and shares no rank.
Standing standing(const SweepView& view, const std::vector<std::optional<double>>& times) {
  const std::vector<bool> beaten = beaten_by_less_work(view, times);
  std::vector<std::optional<double>> rivals = times;
  std::vector<double> sorted;
  for (size_t i = 0; i < times.size(); ++i) {
    if (const std::optional<double>& time = times[i]) sorted.push_back(*time);
    if (beaten[i]) rivals[i].reset();
  }
  std::ranges::sort(sorted);
  Standing found{best_probabilities(rivals, own_deviation()),
                 shared_ranks(rivals, own_deviation())};
  for (size_t i = 0; i < times.size(); ++i) {
    const std::optional<double>& time = times[i];
    if (!beaten[i] || !time) continue;
    found.ranks[i] = 1 + static_cast<int>(std::ranges::lower_bound(sorted, *time) - sorted.begin());
  }
  return found;
}

/// The same JSON on one line: without the white space between its tokens.
std::string on_one_line(std::string_view json) {
  std::string line;
  line.reserve(json.size());
  bool quoted = false;
  for (size_t k = 0; k < json.size(); ++k) {
    const char c = json[k];
    if (!quoted && (c == ' ' || c == '\n')) continue;
    line += c;
    if (c == '"')
      quoted = !quoted;
    else if (quoted && c == '\\' && k + 1 < json.size())
      line += json[++k];
  }
  return line;
}

/// What the study set, and what follows from it.
Json row_of(const SweepView& view, const SweepRun& run) {
  Json object;
  object["settings"] = Json::object();
  for (size_t i = 0; i < view.paths.size(); ++i)
    if (!run.settings[i].empty())
      object["settings"][view.paths[i]] = document_json(config::scalar(run.settings[i]));
  object["schedule"] = run.schedule;
  for (const char* name : {"devices", "idle_devices", "samples_per_s_per_device"})
    if (const std::optional<double> value = value_of(run, name))
      object[name] = name[0] == 's' ? Json(*value) : Json(static_cast<int64_t>(*value));
  if (!run.ran()) object["reason"] = run.reason;
  return object;
}

/// The members of several objects in one. They have no member in common, and none is empty.
std::string joined(std::initializer_list<std::string> objects) {
  std::string all;
  for (const std::string& object : objects) {
    all += all.empty() ? "{" : ",";
    all.append(object, 1, object.size() - 2);
  }
  return all + "}";
}

}  // namespace

void write_sweep_json(const SweepView& view, std::ostream& out) {
  const std::vector<std::optional<double>> times = times_of(view);
  const Standing standing_of = standing(view, times);
  size_t at = 0;
  out << "{\n\"schema\": \"pipewright.results/1\",\n\"results\": [";
  const char* separator = "\n";
  view.for_each([&](const SweepRun& run) {
    const Json object = row_of(view, run);
    out << separator;
    if (run.ran()) {
      Json standing{{"best_probability", standing_of.best[at]}};
      if (standing_of.ranks[at] > 0) standing["rank"] = standing_of.ranks[at];
      out << joined({dump_json(object), on_one_line(run.json), dump_json(standing)});
    } else {
      out << dump_json(object);
    }
    ++at;
    separator = ",\n";
  });
  out << "\n]\n}\n";
}

}  // namespace pipewright
