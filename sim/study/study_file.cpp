#include "study/study_file.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "config/catalogue.hpp"
#include "config/emit.hpp"
#include "result/objectives.hpp"

namespace pipewright {
namespace {

using config::Entry;
using config::Value;

constexpr int64_t most_points = 10'000'000;

Value load_experiment(const Value& value, const config::Catalogue& catalogue) {
  if (value.is_map()) return value;
  if (!value.is_scalar()) value.fail("an experiment must be a name, a file or a map");
  if (!config::is_path(value.text)) return catalogue.load("experiments", value);
  return config::parse_file(config::path_seen_from(value.text, value.mark), value.mark.where());
}

void note_path(Study& study, const std::string& path) {
  if (std::find(study.paths.begin(), study.paths.end(), path) == study.paths.end())
    study.paths.push_back(path);
}

int64_t product_size(const Value& vary) {
  int64_t size = 1;
  for (const Entry& axis : vary.entries) {
    if (!axis.value.is_list() || axis.value.items.empty())
      axis.value.fail(fmt::format("vary: {} needs a list of values", axis.key));
    size *= static_cast<int64_t>(axis.value.items.size());
    if (size > most_points) vary.fail("more than ten million points");
  }
  return size;
}

using SharedSettings = std::vector<std::shared_ptr<const Setting>>;

std::shared_ptr<const Setting> shared(const Entry& entry, Value value) {
  return std::make_shared<const Setting>(Setting{entry.key, entry.mark, std::move(value)});
}

void add_product(const Value& vary, Study& study) {
  if (!vary.is_map() || vary.entries.empty()) vary.fail("vary must map keys to lists of values");
  std::vector<SharedSettings> axes;
  const int64_t size = product_size(vary);
  for (const Entry& axis : vary.entries) {
    note_path(study, axis.key);
    SharedSettings& settings = axes.emplace_back();
    for (const Value& value : axis.value.items) settings.push_back(shared(axis, value));
  }
  study.points.reserve(static_cast<size_t>(size));
  for (int64_t i = 0; i < size; ++i) {
    StudyPoint& point = study.points.emplace_back(StudyPoint{i, SharedSettings(axes.size())});
    int64_t rest = i;
    for (size_t axis = axes.size(); axis-- > 0;) {
      const auto count = static_cast<int64_t>(axes[axis].size());
      point.settings[axis] = axes[axis][static_cast<size_t>(rest % count)];
      rest /= count;
    }
  }
}

void add_cases(const Value& cases, Study& study) {
  if (!cases.is_list()) cases.fail("cases must be a list of maps");
  for (const Value& one : cases.items) {
    if (!one.is_map()) one.fail("a case maps keys to their values");
    StudyPoint point{static_cast<int64_t>(study.points.size()), {}};
    for (const Entry& entry : one.entries) {
      note_path(study, entry.key);
      point.settings.push_back(shared(entry, entry.value));
    }
    study.points.push_back(std::move(point));
  }
}

}  // namespace

std::vector<std::string> read_objective(const Value& value) {
  std::vector<std::string> names;
  if (!value.is_list() || value.items.empty()) value.fail("objective must be a list of results");
  for (const Value& item : value.items) {
    const std::string name = config::as_text(item);
    const std::vector<std::string_view>& known = judging_names();
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      item.fail(fmt::format("'{}' is no result to judge by; one of {}{}", name, join(known),
                            did_you_mean(name, known)));
    }
    names.push_back(name);
  }
  return names;
}

Study read_study(const Value& value, const config::Catalogue& catalogue) {
  const config::Fields fields(
      value, "a study", {"description", "experiment", "vary", "cases", "objective", "screen"});
  Study study;
  study.text = config::to_yaml(value);
  study.experiment = load_experiment(fields.at("experiment"), catalogue);
  const Value* vary = fields.find("vary");
  const Value* cases = fields.find("cases");
  if (vary) add_product(*vary, study);
  if (cases) add_cases(*cases, study);
  if (study.points.empty()) study.points.emplace_back();
  study.objective = {"iteration_time_s", "peak_memory_bytes"};
  if (const Value* objective = fields.find("objective"))
    study.objective = read_objective(*objective);
  study.screen = static_cast<int>(fields.integer("screen", 0, 0, most_points));
  return study;
}

void apply(const Setting& setting, Value& experiment) {
  config::set_path(experiment, setting.path, setting.value,
                   fmt::format("{}: {}", to_string(setting.value.mark.where()), setting.path),
                   setting.key);
}

Value experiment_of(const Study& study, const StudyPoint& point) {
  Value experiment = study.experiment;
  for (const auto& setting : point.settings) apply(*setting, experiment);
  return experiment;
}

std::string one_line(const Value& value) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.size() > 1 ? ", " : "") + part; };
  switch (value.kind) {
    case Value::Kind::null:
      return "null";
    case Value::Kind::scalar:
      return value.text;
    case Value::Kind::list:
      text = "[";
      for (const Value& item : value.items) add(one_line(item));
      return text + "]";
    case Value::Kind::map:
      text = "{";
      for (const Entry& entry : value.entries) add(entry.key + ": " + one_line(entry.value));
      return text + "}";
  }
  return text;
}

}  // namespace pipewright
