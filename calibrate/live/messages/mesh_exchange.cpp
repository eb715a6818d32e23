#include "calibrate/live/messages/mesh_exchange.hpp"

#include <algorithm>

namespace pipewright::live {

std::vector<uint32_t> ranks_of_meshes(const Program& program, OpId resharding) {
  const Op& op = program.ops[resharding];
  std::vector<uint32_t> ranks;
  for (const uint32_t one : {op.rank, op.peer})
    for (uint32_t rank = 0; rank < program.ranks.size(); ++rank)
      if (program.ranks[rank].pipeline == program.ranks[one].pipeline) ranks.push_back(rank);
  return ranks;
}

MeshExchange::MeshExchange(const Program& program, OpId resharding, uint32_t rank) {
  const int sending = program.ranks[program.ops[resharding].rank].pipeline;
  for (const uint32_t one : ranks_of_meshes(program, resharding)) {
    const ProgramRank& at = program.ranks[one];
    if (one == rank) number_ = places_.size();
    const Place& place = places_.emplace_back(one, at.pipeline == sending, at.data, at.tensor);
    int& replicas = place.sends ? senders_ : takers_;
    replicas = std::max(replicas, place.replica + 1);
    if (place.sends) tensor_ = std::max(tensor_, place.tensor + 1);
  }
  own_ = places_[number_];
}

const MeshExchange::Place& MeshExchange::next(int step) const {
  return places_[(number_ + static_cast<size_t>(step) + 1) % places_.size()];
}

const MeshExchange::Place& MeshExchange::before(int step) const {
  return places_[(number_ + places_.size() - static_cast<size_t>(step) - 1) % places_.size()];
}

MeshExchange::Range MeshExchange::range(const Place& place) const {
  const int64_t count = place.sends ? takers_ : senders_;
  return {place.replica * count, count};
}

MeshExchange::Range MeshExchange::between(const Place& from, const Place& to) const {
  if (!from.sends || to.sends || to.tensor % tensor_ != from.tensor) return {};
  const Range held = range(from), wanted = range(to);
  const int64_t first = std::max(held.first, wanted.first);
  const int64_t end = std::min(held.first + held.count, wanted.first + wanted.count);
  return {first, std::max<int64_t>(0, end - first)};
}

}  // namespace pipewright::live
