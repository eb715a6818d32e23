#include "search/known_runs.hpp"

#include "config/emit.hpp"

namespace pipewright::search {

Proposal KnownRuns::of(const config::Value& experiment, const std::function<Proposal()>& run) {
  const std::string text = config::to_yaml(experiment);
  {
    const std::lock_guard lock(mutex_);
    const auto known = runs_.find(text);
    if (known != runs_.end()) return known->second;
  }
  Proposal found = run();
  const std::lock_guard lock(mutex_);
  return runs_.emplace(text, std::move(found)).first->second;
}

}  // namespace pipewright::search
