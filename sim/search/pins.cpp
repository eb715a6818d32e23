// The keys that a plan keeps as the experiment has them.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "experiment/schedule_name.hpp"
#include "search/problem.hpp"

namespace pipewright::search {
namespace {

using config::Value;

/// Tells whether one of two paths is the other or holds it: "parallel" and "parallel.tensor".
bool overlap(std::string_view a, std::string_view b) {
  const auto holds = [](std::string_view whole, std::string_view part) {
    return part.starts_with(whole) && (part.size() == whole.size() || part[whole.size()] == '.');
  };
  return holds(a, b) || holds(b, a);
}

const Value* value_at(const Value& document, std::string_view path) {
  const Value* value = &document;
  while (value && !path.empty()) {
    const size_t dot = std::min(path.find('.'), path.size());
    value = value->is_map() ? value->find(path.substr(0, dot)) : nullptr;
    path.remove_prefix(std::min(dot + 1, path.size()));
  }
  return value;
}

/// Tells whether a degree that a candidate has is the one that is pinned, if any.
bool keeps(const Problem& problem, std::string_view path, int degree) {
  const Value* value = pinned(problem, path);
  if (value && value->is_map()) value = value->find("degree");
  return !value || value->text == "auto" || config::as_int(*value, 0, 1 << 20) == degree;
}

bool keeps_schedule(const Problem& problem, const Candidate& c) {
  const Value* schedule = pinned(problem, "schedule");
  if (schedule && schedule_name(*schedule) != schedule_name(c.schedule)) return false;
  const Value* chunks = c.schedule.is_map() ? c.schedule.find("virtual") : nullptr;
  return keeps(problem, "parallel.virtual",
               chunks ? static_cast<int>(config::as_int(*chunks, 1, 1 << 20)) : 1);
}

bool keeps_degrees(const Problem& problem, const Candidate& c) {
  if (!c.stages.empty() || c.sbp) {
    for (const char* path : {"parallel.tensor", "parallel.data", "parallel.context"})
      if (pinned(problem, path)) return false;
  } else if (!keeps(problem, "parallel.tensor", c.tensor) ||
             !keeps(problem, "parallel.data", c.data)) {
    return false;
  }
  return keeps(problem, "parallel.pipeline", c.pipeline) &&
         keeps(problem, "parallel.zero", c.zero) &&
         (c.context == 0 || keeps(problem, "parallel.context", c.context)) &&
         (c.expert == 0 || keeps(problem, "parallel.expert", c.expert));
}

bool keeps_recompute(const Problem& problem, const Candidate& c) {
  const Value* recompute = pinned(problem, "recompute");
  if (!recompute || (c.recompute.empty() && c.recomputed == 0)) return true;
  return c.recomputed == 0 && recompute->is_scalar() && recompute->text == c.recompute;
}

bool keeps_places(const Problem& problem, const Candidate& c) {
  const bool own = !c.stages.empty() || !c.placement.empty() || !problem.pool.empty();
  if (own && pinned(problem, "placement")) return false;
  return !pinned(problem, "partition") || (c.stages.empty() && c.layers.empty());
}

constexpr std::array<std::string_view, 15> plan_keys = {
    "parallel.tensor",  "parallel.pipeline", "parallel.data",  "parallel.virtual", "parallel.zero",
    "parallel.context", "parallel.expert",   "batch.micro",    "recompute",        "schedule",
    "partition",        "placement",         "overlap.tensor", "offload",          "parallel"};

}  // namespace

// A part of what is decided is decided as well; of `parallel` only the listed keys are.
bool is_decided(std::string_view path) {
  return std::ranges::any_of(plan_keys, [&](std::string_view one) {
    return path == one || (one != "parallel" && overlap(one, path));
  });
}

std::vector<std::string> pinned_keys(const Value& experiment, const std::vector<std::string>& asked,
                                     const std::vector<std::string>& assignments) {
  std::vector<std::string> keys;
  const auto pin = [&](const std::string& key, const Where& where) {
    if (!is_decided(key))
      throw InputError(where, fmt::format("'{}' is no key that a plan decides; one of {}{}", key,
                                          join(plan_keys), did_you_mean(key, plan_keys)));
    if (!value_at(experiment, key))
      throw InputError(where,
                       fmt::format("'{0}' is pinned, but the experiment does not say it; --set "
                                   "{0}=VALUE says it and keeps it",
                                   key));
    if (std::ranges::find(keys, key) == keys.end()) keys.push_back(key);
  };
  if (const Value* own = experiment.find("pinned")) {
    if (!own->is_list()) own->fail("pinned must be a list of keys, such as [parallel.tensor]");
    for (const Value& key : own->items) pin(config::as_text(key), key.mark.where());
  }
  for (const std::string& key : asked) pin(key, {});
  for (const std::string& assignment : assignments)
    if (const std::string key = assignment.substr(0, assignment.find('=')); is_decided(key))
      pin(key, {});
  return keys;
}

const Value* pinned(const Problem& problem, std::string_view path) {
  const auto holds = [&](const std::string& one) {
    return overlap(std::string_view(one).substr(0, one.find('=')), path);
  };
  const bool pinned =
      std::ranges::any_of(problem.pinned, holds) || std::ranges::any_of(problem.habits, holds);
  return pinned ? value_at(problem.experiment, path) : nullptr;
}

bool keeps_pinned(const Problem& problem, const Candidate& c) {
  if (problem.pinned.empty() && problem.habits.empty()) return true;
  const bool sets_anew = std::ranges::any_of(c.settings, [&](const std::string& setting) {
    return pinned(problem, setting.substr(0, setting.find('='))) != nullptr;
  });
  return !sets_anew && keeps_degrees(problem, c) && keeps(problem, "batch.micro", c.micro) &&
         keeps_recompute(problem, c) && keeps_schedule(problem, c) && keeps_places(problem, c);
}

}  // namespace pipewright::search
