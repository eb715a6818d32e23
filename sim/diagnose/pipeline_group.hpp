// The ranks of a pipeline, and which way a message goes between them.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "interop/operation_table.hpp"
#include "interop/rank_profile.hpp"

namespace pipewright::diagnose {

class PipelineGroup {
 public:
  /// `group`: null where the rank has none; it must outlive this. `stage`: the place of the rank.
  PipelineGroup(const ProfiledCollective* group, int stage);

  /// The direction of the pass that one of several messages is of: between neighbours what goes to
  /// the next stage is of a forward pass. Of two stages either is next to the other.
  std::optional<OperationKind> way_of(const ProfiledMessage& message) const;
  /// Whether ranks of several stages take part: the norm of gradients is summed over stages, too.
  bool sums_over_stages(const ProfiledCollective& collective) const;

 private:
  std::vector<std::string_view> ranks_;
  int stage_;
};

/// Whether a rank sends, of messages.
inline bool is_sent(OperationKind kind) {
  return kind == OperationKind::forward_send || kind == OperationKind::backward_send;
}

/// What a rank sends after a pass, and receives before it.
inline OperationKind sent_after(OperationKind pass) {
  return pass == OperationKind::forward ? OperationKind::forward_send
                                        : OperationKind::backward_send;
}
inline OperationKind received_before(OperationKind pass) {
  return pass == OperationKind::forward ? OperationKind::forward_recv
                                        : OperationKind::backward_recv;
}

}  // namespace pipewright::diagnose
