#include "result/accounts/participants.hpp"

#include <algorithm>

namespace pipewright {
namespace {

/// Visits the simulated ranks that take part in ops.
class RanksOf {
 public:
  explicit RanksOf(const Program& program) : program_(program), of_group_(program.groups.size()) {
    int32_t devices = 0;
    for (const ProgramRank& rank : program.ranks) devices = std::max(devices, rank.device + 1);
    std::vector<uint32_t> rank_of(static_cast<size_t>(devices), none);
    for (uint32_t rank = 0; rank < program.ranks.size(); ++rank)
      rank_of[static_cast<size_t>(program.ranks[rank].device)] = rank;
    for (size_t group = 0; group < of_group_.size(); ++group)
      for (const int32_t device : program.groups[group])
        if (device < devices && rank_of[static_cast<size_t>(device)] != none)
          of_group_[group].push_back(rank_of[static_cast<size_t>(device)]);
  }

  template <typename Visit>
  void visit(OpId op, Visit visit) const {
    const OpType& type = program_.type(op);
    const Op& o = program_.ops[op];
    if (type.kind == OpKind::collective) {
      for (const uint32_t rank : of_group_[o.peer]) visit(rank);
    } else if (type.kind == OpKind::transfer && type.resharding != none) {
      visit_meshes(o, visit);
    } else if (type.kind == OpKind::transfer) {
      visit(o.rank);
      if (o.peer != o.rank) visit(o.peer);
    } else if (type.kind == OpKind::copy || runs_on_host(program_, op)) {
      visit(o.rank);
    }
  }

 private:
  /// All devices of two meshes take part in a resharding.
  template <typename Visit>
  void visit_meshes(const Op& op, Visit visit) const {
    const int32_t from = program_.ranks[op.rank].pipeline, to = program_.ranks[op.peer].pipeline;
    for (uint32_t rank = 0; rank < program_.ranks.size(); ++rank)
      if (program_.ranks[rank].pipeline == from || program_.ranks[rank].pipeline == to) visit(rank);
  }

  const Program& program_;
  std::vector<std::vector<uint32_t>> of_group_;
};

}  // namespace

bool runs_on_host(const Program& program, OpId op) {
  const LaneId lane = program.ops[op].lane;
  return lane != none && program.lanes[lane].stream == Stream::host;
}

Traffic traffic_of(const Program& program, OpId op) {
  return runs_on_host(program, op) ? Traffic::host : program.type(op).traffic;
}

Participants::Participants(const Program& program, const Timeline& timeline)
    : offset_(program.ranks.size() + 1) {
  const RanksOf ranks(program);
  for (OpId op = 0; op < program.ops.size(); ++op)
    ranks.visit(op, [&](uint32_t rank) { ++offset_[rank + 1]; });
  for (size_t rank = 0; rank < program.ranks.size(); ++rank) offset_[rank + 1] += offset_[rank];
  ops_.resize(offset_.back());
  std::vector<uint32_t> next(offset_.begin(), offset_.end() - 1);
  for (OpId op = 0; op < program.ops.size(); ++op)
    ranks.visit(op, [&](uint32_t rank) { ops_[next[rank]++] = op; });
  for (size_t rank = 0; rank < program.ranks.size(); ++rank)
    std::stable_sort(
        ops_.begin() + offset_[rank], ops_.begin() + offset_[rank + 1],
        [&](OpId a, OpId b) { return timeline.spans[a].start < timeline.spans[b].start; });
}

}  // namespace pipewright
