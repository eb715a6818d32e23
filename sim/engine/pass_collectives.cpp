#include "engine/pass_collectives.hpp"

#include <algorithm>
#include <unordered_set>

namespace pipewright {
namespace {

/// The groups of each type, in order: the type in the upper half.
std::vector<uint64_t> groups_by_type(const Program& program, const std::vector<bool>& in_pass) {
  std::unordered_set<uint64_t> all;
  // Most ops follow one of their own group: these are millions where the groups are few.
  std::vector<uint32_t> last(program.types.size(), none);
  for (const Op& op : program.ops) {
    if (!in_pass[op.type] || program.types[op.type].kind != OpKind::collective) continue;
    if (std::exchange(last[op.type], op.peer) != op.peer)
      all.insert(uint64_t{op.type} << 32 | op.peer);
  }
  std::vector<uint64_t> sorted(all.begin(), all.end());
  std::ranges::sort(sorted);
  return sorted;
}

}  // namespace

PassCollectives::PassCollectives(const Program& program, const Prices& prices,
                                 const std::vector<bool>& in_pass)
    : usual_(program.types.size()) {
  for (const uint64_t one : groups_by_type(program, in_pass)) {
    const auto type = static_cast<uint32_t>(one >> 32);
    const std::vector<int32_t>& group = program.groups[static_cast<uint32_t>(one)];
    const OpType& of = program.types[type];
    const Time time = prices.collective(of.collective, group, of.bytes);
    if (usual_[type].ranks == 0) usual_[type] = {time, group.size()};
    if (time == usual_[type].time) continue;
    for (const int32_t device : group) unlike_[device].emplace_back(type, time);
  }
}

PassCollectives::Unlike PassCollectives::unlike(int32_t device) const {
  const auto found = unlike_.find(device);
  return found == unlike_.end() ? Unlike{} : found->second;
}

Time PassCollectives::time(uint32_t type, int32_t device) const {
  if (const auto found = unlike_.find(device); found != unlike_.end())
    for (const auto& [other, time] : found->second)
      if (other == type) return time;
  return usual_[type].time;
}

}  // namespace pipewright
