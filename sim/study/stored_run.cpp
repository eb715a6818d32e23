#include "study/stored_run.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <charconv>

#include "base/deflate.hpp"
#include "base/error.hpp"
#include "base/json.hpp"
#include "result/objectives.hpp"

namespace pipewright {
namespace {

using Json = nlohmann::json;

constexpr int64_t most_json_bytes = int64_t{64} << 20;

/// A list of numbers as it is kept; null where there is nothing.
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

/// Texts as they are kept, each behind its length: "1:84:1f1b".
std::string kept(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) {
    const fmt::format_int size(text.size());
    all.append(size.data(), size.size()).append(1, ':').append(text);
  }
  return all;
}

/// Nothing where `all` is not made so.
std::optional<std::vector<std::string>> texts_of(std::string_view all) {
  std::vector<std::string> texts;
  while (!all.empty()) {
    size_t size = 0;
    const auto [end, error] = std::from_chars(all.data(), all.data() + all.size(), size);
    const auto digits = static_cast<size_t>(end - all.data());
    if (error != std::errc() || digits == all.size() || *end != ':') return {};
    all.remove_prefix(digits + 1);
    if (size > all.size()) return {};
    texts.emplace_back(all.substr(0, size));
    all.remove_prefix(size);
  }
  return texts;
}

/// Goes on from a checksum with a text behind its length.
int64_t with_text(std::string_view text, int64_t checksum) {
  const fmt::format_int size(text.size());
  return crc(text, crc(":", crc({size.data(), size.size()}, checksum)));
}

}  // namespace

int64_t checksum(const StoreOwner& owner) {
  return with_text(owner.version, with_text(owner.study, 0));
}

int64_t StoredRun::checksum(int64_t of_owner) const {
  int64_t checksum = of_owner;
  for (const std::string* text : {&settings, &schedule, &reason, &objectives, &csv, &json_deflated})
    checksum = with_text(*text, checksum);
  for (const int64_t number : {point, feasible, json_bytes})
    checksum = with_text(fmt::format_int(number).c_str(), checksum);
  return checksum;
}

std::string RunPacker::deflated_json(const std::string& json) {
  if (json.size() > most_json_bytes) throw Failure("the result of a run is too large for a store");
  if (!json.empty()) return deflated(json, sample_);
  if (nothing_.empty()) nothing_ = deflated({}, sample_);
  return nothing_;
}

StoredRun RunPacker::packed(const SweepRun& run) {
  return {.settings = kept(run.settings),
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
  std::optional<std::vector<std::string>> settings = texts_of(row.settings);
  const auto objectives = numbers_of(row.objectives);
  if (!settings || !objectives || row.json_bytes < 0 || row.json_bytes > most_json_bytes) return {};
  std::optional<std::string> json = std::string();
  if (row.json_bytes > 0)
    json = inflated(row.json_deflated, static_cast<size_t>(row.json_bytes), sample_);
  if (!json) return {};
  SweepRun run{.point = row.point,
               .settings = std::move(*settings),
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
