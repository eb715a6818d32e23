// The keys that a plan keeps as the experiment has them.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "experiment/options.hpp"
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

/// Tells whether weights are cut over groups of replicas where that is pinned.
bool keeps_groups(const Problem& problem, const Candidate& c) {
  for (const char* key : {"shard", "replicate"}) {
    if (!pinned(problem, std::string("parallel.") + key)) continue;
    if (!c.stages.empty() || !experiment_of(problem, c).find("parallel")->find(key)) return false;
  }
  return true;
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

constexpr std::array<std::string_view, 17> plan_keys = {
    "parallel.tensor",  "parallel.pipeline", "parallel.data",  "parallel.virtual", "parallel.zero",
    "parallel.context", "parallel.expert",   "batch.micro",    "recompute",        "schedule",
    "partition",        "placement",         "overlap.tensor", "offload",          "parallel",
    "parallel.shard",   "parallel.replicate"};

/// Returns the name of an axis of a mesh that `path` is of: "tensor" of "parallel.mesh.tensor", ""
/// of the mesh itself; nothing of another path.
std::optional<std::string> axis_of(std::string_view path) {
  constexpr std::string_view mesh = "parallel.mesh";
  if (path == mesh) return "";
  if (!path.starts_with(mesh) || path[mesh.size()] != '.') return std::nullopt;
  std::string axis(path.substr(mesh.size() + 1));
  const bool known = std::ranges::count(keys::parallel_mesh, axis) > 0;
  return known ? std::optional(std::move(axis)) : std::nullopt;
}

/// Returns the keys that are kept where `key` is pinned: degrees for an axis of a mesh. The first
/// must be said, others are kept where they are.
std::vector<std::string> kept_by(const Value& experiment, const std::string& key) {
  const std::optional<std::string> axis = axis_of(key);
  if (key == "parallel.shard" || key == "parallel.replicate") return {key, "parallel.zero"};
  if (!axis) return {key};
  if (axis->empty())
    return {"parallel.zero",    "parallel.tensor", "parallel.pipeline", "parallel.data",
            "parallel.context", "parallel.expert", "parallel.replicate"};
  if (*axis == "shard") return {"parallel.data", "parallel.zero", "parallel.replicate"};
  if (*axis != "replicate") return {"parallel." + *axis};
  // Where no weights are cut, all replicas are copies.
  if (!value_at(experiment, "parallel.replicate")) return {"parallel.data"};
  return {"parallel.replicate", "parallel.zero"};
}

}  // namespace

// A part of what is decided is decided as well; of `parallel` only the listed keys are.
bool is_decided(std::string_view path) {
  if (axis_of(path)) return true;
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
    const std::vector<std::string> kept = kept_by(experiment, key);
    if (!value_at(experiment, kept.front()))
      throw InputError(where,
                       fmt::format("'{0}' is pinned, but the experiment does not say it; --set "
                                   "{0}=VALUE says it and keeps it",
                                   key));
    for (const std::string& one : kept)
      if (value_at(experiment, one) && std::ranges::find(keys, one) == keys.end())
        keys.push_back(one);
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
  return !sets_anew && keeps_degrees(problem, c) && keeps_groups(problem, c) &&
         keeps(problem, "batch.micro", c.micro) && keeps_recompute(problem, c) &&
         keeps_schedule(problem, c) && keeps_places(problem, c);
}

}  // namespace pipewright::search
