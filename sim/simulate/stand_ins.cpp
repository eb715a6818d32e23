#include "simulate/stand_ins.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "experiment/experiment.hpp"
#include "schedule/kinds/kinds.hpp"
#include "topology/cluster/cluster.hpp"

namespace pipewright {
namespace {

using config::Value;

constexpr std::array<std::pair<std::string_view, std::string_view>, 3> values = {
    {{"model", "gpt2-small"}, {"cluster", "selene-96"}, {"schedule", "1f1b"}}};

/// Flows and traces have a cluster alone, peers no schedule.
bool needs(const Value& experiment, std::string_view key) {
  if (key == "cluster") return true;
  if (experiment.find("trace") || experiment.find("traffic")) return false;
  return key == "model" || !experiment.find("peers");
}

/// Looks a schedule up and reads its options. What it requires of a shape is no mistake of it.
void read_schedule(const Value& schedule) {
  const Value* name = schedule.is_map() ? schedule.find("name") : &schedule;
  if (!name || !name->is_scalar() || name->text.find(':') != std::string::npos) return;
  try {
    schedule::build({.ranks = 4, .micro_batches = 8}, schedule);
  } catch (const Misfit&) {
  }
}

}  // namespace

bool StandIns::gives(std::string_view key) const {
  return std::ranges::find(keys_, key) != keys_.end();
}

bool StandIns::fill(Value& experiment, const std::function<bool(std::string_view)>& missed) {
  const size_t before = keys_.size();
  for (const auto& [key, value] : values) {
    if (experiment.find(key) || !needs(experiment, key) || !missed(key)) continue;
    experiment.set(std::string(key), config::scalar(value));
    keys_.push_back(key);
  }
  return keys_.size() > before;
}

void StandIns::read_beside(const Value& document, const config::Catalogue& catalogue) const {
  try {
    const Experiment experiment = read_experiment(resolve(document, catalogue));
    for (const auto& [key, value] : values)
      if (needs(experiment.document, key)) experiment.at(key);
  } catch (const Misfit&) {  // perhaps only to what stands in
  }
  const Value* cluster = document.find("cluster");
  if (cluster && !gives("cluster")) read_cluster(*cluster, catalogue);
  const Value* schedule = document.find("schedule");
  if (schedule && !gives("schedule")) read_schedule(*schedule);
}

}  // namespace pipewright
