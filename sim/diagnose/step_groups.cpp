#include "diagnose/step_groups.hpp"

#include <map>
#include <tuple>

namespace pipewright::diagnose {
namespace {

using Kind = OperationKind;

/// The ranks that meet in a collective, as what they have in common: data rank and stage, -1 where
/// that differs.
struct Meeting {
  Kind kind;
  int32_t data, stage, group;
  int number;  ///< of its kind and group on each rank
  auto operator<=>(const Meeting&) const = default;
};

/// Tells whether ranks meet in an operation of the kind.
bool meets(Kind kind) {
  return communicates(kind) && !is_transfer(kind) && kind != Kind::layernorm_grads_all_reduce;
}

class GroupsOfStep {
 public:
  GroupsOfStep(const MeasuredJob& job, size_t step, const Transfers& transfers, StepGraph& graph)
      : job_(job), step_(step), all_(job.of_step(step)), transfers_(transfers), graph_(graph) {}

  void run() {
    group_transfers();
    group_lockstep();
    group_collectives();
  }

 private:
  void group_transfers() {
    for (size_t i = 0; i < all_.size(); ++i) {
      const size_t other = transfers_.other[i];
      if (other == nothing || other < i) continue;
      graph_.group[i] = graph_.group[other] = graph_.groups++;
    }
  }

  /// Data ranks that communicate within a pass go through it together.
  void group_lockstep() {
    std::map<std::tuple<int32_t, int32_t, Kind, int32_t, int32_t>, size_t> groups;
    for (size_t i = 0; i < all_.size(); ++i) {
      const TracedOperation& one = all_[i];
      if (!computes(one.kind) || one.together == 0) continue;
      const auto [found, fresh] = groups.try_emplace(
          {lockstep_group(one), one.stage, one.kind, one.chunk, one.micro_batch}, graph_.groups);
      if (fresh) ++graph_.groups;
      graph_.group[i] = found->second;
    }
  }

  Meeting meeting_of(const TracedOperation& one, int number) const {
    Meeting meeting{one.kind, one.dp_rank, one.stage, one.group, number};
    if (one.kind == Kind::params_all_gather || one.kind == Kind::grads_reduce_scatter ||
        one.kind == Kind::separate_grads_all_reduce)
      meeting.data = -1;
    if (one.kind == Kind::embedding_grads_all_reduce) meeting.stage = -1;
    if (one.kind == Kind::clip) meeting.data = meeting.stage = -1;
    return meeting;
  }

  void group_collectives() {
    std::map<Meeting, size_t> groups;
    for (int rank = 0; rank < job_.ranks(); ++rank) {
      std::map<std::pair<Kind, int32_t>, int> number;
      for (const TracedOperation& one : job_.of(step_, rank)) {
        if (!meets(one.kind)) continue;
        const auto i = static_cast<size_t>(&one - all_.data());
        const Meeting meeting = meeting_of(all_[i], number[{all_[i].kind, all_[i].group}]++);
        const auto [found, fresh] = groups.emplace(meeting, graph_.groups);
        if (fresh) ++graph_.groups;
        graph_.group[i] = found->second;
      }
    }
  }

  const MeasuredJob& job_;
  size_t step_;
  std::span<const TracedOperation> all_;
  const Transfers& transfers_;
  StepGraph& graph_;
};

}  // namespace

void group_operations(const MeasuredJob& job, size_t step, const Transfers& transfers,
                      StepGraph& graph) {
  GroupsOfStep(job, step, transfers, graph).run();
}

}  // namespace pipewright::diagnose
