#include "diagnose/pipeline_group.hpp"

#include <algorithm>

#include "interop/words.hpp"

namespace pipewright::diagnose {

PipelineGroup::PipelineGroup(const ProfiledCollective* group, int stage) : stage_(stage) {
  if (group) ranks_ = interop::split(group->ranks, "[], ", false);
}

std::optional<OperationKind> PipelineGroup::way_of(const ProfiledMessage& message) const {
  const auto found = std::ranges::find_if(
      ranks_, [&](std::string_view rank) { return interop::number_of<int>(rank) == message.peer; });
  const auto stages = static_cast<int>(ranks_.size());
  if (found == ranks_.end() || stages <= 2) return std::nullopt;
  const auto peer = static_cast<int>(found - ranks_.begin());
  const bool to_next = peer == (stage_ + 1) % stages;
  if (!to_next && stage_ != (peer + 1) % stages) return std::nullopt;
  return to_next == message.sent ? OperationKind::forward : OperationKind::backward;
}

bool PipelineGroup::sums_over_stages(const ProfiledCollective& collective) const {
  size_t members = 0;
  for (const std::string_view rank : interop::split(collective.ranks, "[], ", false))
    members += std::ranges::find(ranks_, rank) != ranks_.end();
  return members > 1;
}

}  // namespace pipewright::diagnose
