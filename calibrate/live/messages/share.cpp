#include "calibrate/live/messages/share.hpp"

#include <algorithm>
#include <map>

#include "base/error.hpp"
#include "calibrate/live/messages/mesh_exchange.hpp"

namespace pipewright::live {
namespace {

bool contains(const std::vector<uint32_t>& ranks, uint32_t rank) {
  return std::find(ranks.begin(), ranks.end(), rank) != ranks.end();
}

std::vector<std::vector<uint32_t>> groups_of_ranks(const Program& program) {
  std::map<int32_t, uint32_t> rank_of;
  for (uint32_t rank = 0; rank < program.ranks.size(); ++rank)
    rank_of[program.ranks[rank].device] = rank;
  std::vector<std::vector<uint32_t>> groups;
  for (const std::vector<int32_t>& devices : program.groups) {
    std::vector<uint32_t>& group = groups.emplace_back();
    for (const int32_t device : devices) {
      const auto found = rank_of.find(device);
      if (found == rank_of.end())
        throw Failure(
            "collectives among devices that are not ranks by themselves cannot be run "
            "over processes by this version");
      group.push_back(found->second);
    }
  }
  return groups;
}

/// Returns the pipeline ranks of the meshes that an op joins.
std::pair<int32_t, int32_t> meshes_of(const Program& program, OpId op) {
  return {program.ranks[program.ops[op].rank].pipeline,
          program.ranks[program.ops[op].peer].pipeline};
}

}  // namespace

Share::Share(const Program& program, uint32_t rank)
    : program_(program),
      rank_(rank),
      groups_(groups_of_ranks(program)),
      waits_(program.ops.size()) {
  for (OpId op = 0; op < program.ops.size(); ++op)
    if (program.type(op).resharding != none)
      if (std::vector<uint32_t>& both = meshes_[meshes_of(program, op)]; both.empty())
        both = ranks_of_meshes(program, op);
  for (OpId x = 0; x < program.ops.size(); ++x) {
    if (sees(x)) ++seen_;
    if (starts(x)) ++started_;
    for (const Edge edge : program.after(x))
      if (waits_for(x, edge.to())) ++waits_[edge.to()];
  }
}

std::vector<uint32_t> Share::seers(OpId op) const {
  if (is_exchange(op)) return members(op);
  switch (program_.type(op).kind) {
    case OpKind::transfer:
      return {program_.ops[op].peer};
    default:
      return {program_.ops[op].rank};
  }
}

std::vector<uint32_t> Share::starters(OpId op) const {
  if (is_exchange(op)) return members(op);
  return {program_.ops[op].rank};
}

const std::vector<uint32_t>& Share::members(OpId op) const {
  if (program_.type(op).resharding != none) return meshes_.at(meshes_of(program_, op));
  return groups_[program_.ops[op].peer];
}

bool Share::sees(OpId op) const { return contains(seers(op), rank_); }

bool Share::starts(OpId op) const { return contains(starters(op), rank_); }

bool Share::waits_for(OpId x, OpId y) const {
  const std::vector<uint32_t> see = seers(x), start = starters(y);
  if (!contains(start, rank_)) return false;
  if (contains(see, rank_)) return true;
  return start.front() == rank_ &&
         std::none_of(start.begin(), start.end(), [&](uint32_t r) { return contains(see, r); });
}

std::vector<uint32_t> Share::signals(OpId op) const {
  std::vector<uint32_t> targets;
  const std::vector<uint32_t> see = seers(op);
  if (see.front() != rank_) return targets;
  for (const Edge edge : program_.after(op)) {
    const std::vector<uint32_t> start = starters(edge.to());
    const bool seen =
        std::any_of(start.begin(), start.end(), [&](uint32_t r) { return contains(see, r); });
    if (!seen && !contains(targets, start.front())) targets.push_back(start.front());
  }
  return targets;
}

}  // namespace pipewright::live
