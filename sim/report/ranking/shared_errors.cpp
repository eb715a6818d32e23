#include "report/ranking/shared_errors.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>

namespace pipewright {
namespace {

/// Tells whether `path` is `key` or in it.
bool is_within(std::string_view path, std::string_view key) {
  return path.starts_with(key) && (path.size() == key.size() || path[key.size()] == '.');
}

/// The settings of a run but for those that only add work.
std::string job_of(const SweepView& view, const SweepRun& run) {
  std::string job = run.schedule;
  for (size_t i = 0; i < view.paths.size(); ++i)
    if (!only_adds_work(view.paths[i])) job += '\n' + run.settings[i];
  return job;
}

}  // namespace

bool only_adds_work(std::string_view path) { return is_within(path, "recompute"); }

bool is_of_simulation(std::string_view path) {
  constexpr std::array<std::string_view, 6> keys = {"network",    "profile",   "anchor",
                                                    "iterations", "variation", "failures.events"};
  if (path.starts_with("network.")) return false;  // an option of the network
  // A job chooses how many nodes stand by, and what it does without one.
  for (const char* choice : {"failures.events.spares", "failures.events.elastic"})
    if (path == choice) return false;
  return std::ranges::any_of(keys, [&](std::string_view key) { return is_within(path, key); });
}

std::vector<bool> keys_of_simulation(const SweepView& view,
                                     const std::vector<SweepCandidate>& candidates) {
  std::vector<bool> keys;
  for (size_t i = 0; i < view.paths.size(); ++i)
    keys.push_back(is_of_simulation(view.paths[i]) &&
                   (view.paths[i] != "network" ||
                    std::ranges::none_of(candidates, [&](const SweepCandidate& c) {
                      return c.settings[i].starts_with('{');
                    })));
  return keys;
}

bool same_but_for(const std::vector<bool>& other, const SweepCandidate& a,
                  const SweepCandidate& b) {
  for (size_t i = 0; i < other.size(); ++i)
    if (!other[i] && a.settings[i] != b.settings[i]) return false;
  return true;
}

std::vector<bool> beaten_by_less_work(const SweepView& view,
                                      const std::vector<std::optional<double>>& times) {
  std::vector<bool> beaten(times.size());
  if (std::ranges::none_of(view.paths, only_adds_work)) return beaten;
  std::unordered_map<std::string, double> least;
  size_t at = 0;
  view.for_each([&](const SweepRun& run) {
    const std::optional<double>& time = times[at++];
    if (!time) return;
    double& known = least.try_emplace(job_of(view, run), *time).first->second;
    known = std::min(known, *time);
  });
  at = 0;
  view.for_each([&](const SweepRun& run) {
    const std::optional<double>& time = times[at];
    if (time) beaten[at] = *time > least.at(job_of(view, run));
    ++at;
  });
  return beaten;
}

}  // namespace pipewright
