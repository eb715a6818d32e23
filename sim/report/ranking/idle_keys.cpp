#include "report/ranking/idle_keys.hpp"

#include <map>

namespace pipewright {
namespace {

bool same_outcome(const SweepCandidate& a, const SweepCandidate& b) {
  return a.schedule == b.schedule && a.objectives == b.objectives && a.feasible == b.feasible;
}

/// Tells whether some candidates differ in the key alone and all such have the same outcome.
bool is_idle(const std::vector<SweepCandidate>& candidates, size_t key) {
  std::map<std::vector<std::string>, const SweepCandidate*> first_of;
  bool varies = false;
  for (const SweepCandidate& candidate : candidates) {
    std::vector<std::string> others = candidate.settings;
    others[key].clear();
    const auto [place, first] = first_of.try_emplace(std::move(others), &candidate);
    if (first || place->second->settings[key] == candidate.settings[key]) continue;
    if (!same_outcome(*place->second, candidate)) return false;
    varies = true;
  }
  return varies;
}

}  // namespace

std::vector<size_t> idle_keys(const std::vector<SweepCandidate>& candidates) {
  std::vector<size_t> idle;
  const size_t keys = candidates.empty() ? 0 : candidates.front().settings.size();
  for (size_t key = 0; key < keys; ++key)
    if (is_idle(candidates, key)) idle.push_back(key);
  return idle;
}

}  // namespace pipewright
