#include "study/stored_run.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>

#include "base/deflate.hpp"
#include "base/error.hpp"
#include "base/json.hpp"
#include "result/objectives.hpp"

namespace pipewright {
namespace {

using Json = nlohmann::json;

constexpr int64_t most_json_bytes = int64_t{64} << 20;

/// Lists of numbers and texts as they are kept; null where there is nothing.
std::string list_of(const std::vector<std::optional<double>>& values) {
  if (values.empty()) return "[]";
  Json list = Json::array();
  for (const auto& value : values) list.push_back(value ? Json(*value) : Json(nullptr));
  return dump_json(list);
}

/// Nothing where `text` is no list of numbers.
std::optional<std::vector<std::optional<double>>> numbers_of(const std::string& text) {
  if (text == "[]") return std::vector<std::optional<double>>{};
  const Json list = parse_json(text);
  if (!list.is_array()) return {};
  std::vector<std::optional<double>> values;
  for (const Json& value : list) {
    if (!value.is_null() && !value.is_number()) return {};
    values.push_back(value.is_null() ? std::nullopt : std::optional(value.get<double>()));
  }
  return values;
}

bool is_list_of_texts(const Json& value) {
  return value.is_array() &&
         std::ranges::all_of(value, [](const Json& text) { return text.is_string(); });
}

void add_text(std::string_view text, std::string& all) {
  fmt::format_to(std::back_inserter(all), "{}:{}", text.size(), text);
}

}  // namespace

int64_t checksum(const StoreOwner& owner) {
  std::string all;
  for (const std::string* text : {&owner.study, &owner.version}) add_text(*text, all);
  return crc(all);
}

int64_t StoredRun::checksum(int64_t of_owner) const {
  std::string all;
  for (const std::string* text : {&settings, &schedule, &reason, &objectives, &csv, &json_deflated})
    add_text(*text, all);
  for (const int64_t number : {point, feasible, json_bytes}) add_text(std::to_string(number), all);
  return crc(all, of_owner);
}

std::string RunPacker::deflated_json(const std::string& json) {
  if (json.size() > most_json_bytes) throw Failure("the result of a run is too large for a store");
  if (!json.empty()) return deflated(json, sample_);
  if (nothing_.empty()) nothing_ = deflated({}, sample_);
  return nothing_;
}

StoredRun RunPacker::packed(const SweepRun& run) {
  return {.settings = dump_json(Json(run.settings)),
          .schedule = run.schedule,
          .reason = run.reason,
          .objectives = list_of(run.objectives),
          .csv = run.csv,
          .json_deflated = deflated_json(run.json),
          .point = run.point,
          .feasible = int64_t{run.feasible},
          .json_bytes = static_cast<int64_t>(run.json.size())};
}

std::optional<SweepRun> RunPacker::unpacked(StoredRun row) const {
  const Json settings = parse_json(row.settings);
  const auto objectives = numbers_of(row.objectives);
  if (!is_list_of_texts(settings) || !objectives || row.json_bytes < 0 ||
      row.json_bytes > most_json_bytes)
    return {};
  std::optional<std::string> json = std::string();
  if (row.json_bytes > 0)
    json = inflated(row.json_deflated, static_cast<size_t>(row.json_bytes), sample_);
  if (!json) return {};
  SweepRun run{.point = row.point,
               .settings = settings.get<std::vector<std::string>>(),
               .schedule = std::move(row.schedule),
               .reason = std::move(row.reason),
               .objectives = *objectives,
               .feasible = row.feasible != 0,
               .csv = std::move(row.csv),
               .json = std::move(*json)};
  const bool is_whole = !run.ran() || run.objectives.size() == objective_names().size();
  return is_whole ? std::optional(std::move(run)) : std::nullopt;
}

}  // namespace pipewright
