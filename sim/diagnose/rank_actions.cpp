#include "diagnose/rank_actions.hpp"

#include <algorithm>
#include <set>

#include "diagnose/message_order.hpp"
#include "diagnose/pipeline_group.hpp"

namespace pipewright::diagnose {

RankActions::RankActions(const DeviceWork& work) : actions_(work.actions) {
  std::set<int32_t> stages;
  for (const interop::PipelineAction& one : actions_)
    if (is_pass(one) && one.stage >= 0) stages.insert(one.stage);
  stages_.assign(stages.begin(), stages.end());
}

int32_t RankActions::chunk_of(const interop::PipelineAction& action) const {
  const auto found = std::ranges::lower_bound(stages_, action.stage);
  return static_cast<int32_t>(found - stages_.begin());
}

OperationKind kind_of_message(const interop::PipelineAction& action,
                              const ProfiledCollective* message) {
  using enum interop::PipelineActionKind;
  const bool is_forward =
      action.kind == forward || action.kind == forward_send || action.kind == forward_recv;
  bool sent = action.kind == forward_send || action.kind == backward_send;
  if (is_pass(action) && message)
    sent = message->messages.empty() ? has_word(message->name, "send")
                                     : message->messages.front().sent;
  const OperationKind pass = is_forward ? OperationKind::forward : OperationKind::backward;
  return sent ? sent_after(pass) : received_before(pass);
}

Placement placement_of(const std::vector<std::vector<int32_t>>& stages) {
  const auto known = std::ranges::find_if(stages, [](const auto& one) { return !one.empty(); });
  if (known == stages.end()) return {};
  const auto ranks = static_cast<int32_t>(stages.size());
  const auto rank = static_cast<int32_t>(known - stages.begin());
  Placement all(stages.size());
  for (size_t chunk = 0; chunk < known->size(); ++chunk) {
    const int32_t first = static_cast<int32_t>(chunk) * ranks, place = (*known)[chunk] - first;
    const bool down = place != rank;
    if (down && place != ranks - 1 - rank) return {};
    for (int32_t one = 0; one < ranks; ++one)
      all[static_cast<size_t>(one)].push_back(first + (down ? ranks - 1 - one : one));
  }
  for (size_t one = 0; one < stages.size(); ++one)
    if (!stages[one].empty() && stages[one] != all[one]) return {};
  return all;
}

}  // namespace pipewright::diagnose
