#include "report/text/summary_job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "report/text/numbers.hpp"
#include "report/text/summary_line.hpp"

namespace pipewright {
namespace {

using config::Value;

void add(std::string& list, const std::string& item) { list += (list.empty() ? "" : ", ") + item; }

const Value* scalar_at(const Value& map, std::string_view key) {
  const Value* value = map.is_map() ? map.find(key) : nullptr;
  return value && value->is_scalar() ? value : nullptr;
}

/// Tells whether a degree changes anything.
bool counts(const Value& degree) {
  return degree.text != "0" && degree.text != "1" && degree.text != "false";
}

std::string degrees(const Value& parallel) {
  std::string text;
  for (const char* key : {"tensor", "pipeline", "virtual", "data", "context", "expert", "shard"})
    if (const Value* degree = scalar_at(parallel, key); degree && counts(*degree))
      add(text, fmt::format("{} {}", key, degree->text));
  const Value* zero = scalar_at(parallel, "zero");
  if (zero && zero->text != "0") add(text, fmt::format("zero {}", zero->text));
  const Value* sequence = scalar_at(parallel, "sequence");
  if (sequence && sequence->text == "true") add(text, "sequence parallel");
  return text;
}

/// The keys that change a time or a memory most.
constexpr std::array<std::string_view, 7> matter_most = {
    "precision", "optimizer", "recompute", "attention", "framework", "kernels", "placement"};

std::string batch_text(const Value& batch) {
  const Value* global = scalar_at(batch, "global");
  const Value* micro = scalar_at(batch, "micro");
  const Value* sequence = scalar_at(batch, "sequence");
  if (!global || !micro) return {};
  std::string text = fmt::format("{} samples", global->text);
  if (sequence) text = fmt::format("{} sequences of {} tokens", global->text, sequence->text);
  return text + fmt::format(", {} in a micro-batch", micro->text);
}

}  // namespace

std::string job_lines(const Value& experiment) {
  if (!experiment.is_map()) return {};
  std::string text;
  // Stages that are not alike have degrees of their own.
  const Value* parallel = experiment.find("strategy") ? nullptr : experiment.find("parallel");
  if (const std::string all = parallel ? degrees(*parallel) : ""; !all.empty())
    text += summary_line("parallel", all);
  const Value* batch = experiment.find("batch");
  if (const std::string all = batch ? batch_text(*batch) : ""; !all.empty())
    text += summary_line("batch", all);
  return text;
}

std::vector<DefaultTaken> defaults_taken(const Value& experiment, const Value& given) {
  std::vector<DefaultTaken> taken;
  if (!experiment.is_map() || !given.is_map()) return taken;
  for (const config::Entry& entry : experiment.entries) {
    if (!entry.value.is_scalar() || given.find(entry.key)) continue;
    const bool matters = std::ranges::find(matter_most, entry.key) != matter_most.end();
    taken.push_back({entry.key, entry.value.text, matters});
  }
  return taken;
}

std::string default_lines(const Value& experiment, const Value& given, bool all) {
  std::string text;
  int64_t left_out = 0;
  for (const DefaultTaken& one : defaults_taken(experiment, given)) {
    if (all || one.matters_most)
      add(text, fmt::format("{} {}", one.key, one.value));
    else
      ++left_out;
  }
  if (left_out > 0 && !text.empty())
    add(text, fmt::format("and {} (-v)", counted(left_out, "other key")));
  return text.empty() ? text : summary_line("by default", text);
}

}  // namespace pipewright
