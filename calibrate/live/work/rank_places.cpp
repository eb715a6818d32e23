#include "calibrate/live/work/rank_places.hpp"

#include "base/error.hpp"

namespace pipewright::live {

RankPlaces::RankPlaces(const Program& program, const train::StagedModel& model)
    : program_(program), model_(model) {
  for (uint32_t rank = 0; rank < program.ranks.size(); ++rank) {
    ensure(program.ranks[rank].multiplicity == 1, "real work needs every rank");
    rank_of_device_[program.ranks[rank].device] = rank;
  }
}

std::vector<uint32_t> RankPlaces::ranks_of(OpId op) const {
  std::vector<uint32_t> ranks;
  for (const int32_t device : program_.groups[program_.ops[op].peer])
    ranks.push_back(rank_of_device_.at(device));
  return ranks;
}

}  // namespace pipewright::live
