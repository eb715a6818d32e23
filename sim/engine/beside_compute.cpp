#include "engine/beside_compute.hpp"

#include <algorithm>

namespace pipewright {
namespace {

struct Follower {
  OpId collective;
  uint32_t position;  ///< in the compute lane of its rank
};

class BesideFinder {
 public:
  explicit BesideFinder(const Program& program) : program_(program) {}

  std::vector<RankBesideCompute> run() {
    find_lanes();
    find_positions();
    find_followers();
    after_.assign(program_.ops.size(), none);
    before_.assign(program_.ops.size(), none);
    for (uint32_t rank = 0; rank < program_.ranks.size(); ++rank)
      if (found_[rank].lane != none && !lanes_[rank].empty()) find_collectives(rank);
    return std::move(found_);
  }

 private:
  void find_lanes() {
    found_.resize(program_.ranks.size());
    lanes_.resize(program_.ranks.size());
    for (LaneId lane = 0; lane < program_.lanes.size(); ++lane) {
      const Lane& l = program_.lanes[lane];
      if (l.policy != LanePolicy::in_order || program_.order(lane).empty()) continue;
      if (l.stream == Stream::compute) found_[l.rank].lane = lane;
      if (l.stream == Stream::data || l.stream == Stream::tensor) lanes_[l.rank].push_back(lane);
    }
  }

  void find_positions() {
    position_.assign(program_.ops.size(), none);
    for (const RankBesideCompute& rank : found_) {
      if (rank.lane == none) continue;
      const std::span<const OpId> order = program_.order(rank.lane);
      for (uint32_t k = 0; k < order.size(); ++k) position_[order[k]] = k;
    }
  }

  /// Finds what waits for a collective on each of its ranks.
  void find_followers() {
    followers_.resize(program_.ranks.size());
    for (OpId op = 0; op < program_.ops.size(); ++op) {
      if (program_.type(op).kind != OpKind::collective) continue;
      for (const Edge edge : program_.after(op))
        if (position_[edge.to()] != none)
          followers_[program_.ops[edge.to()].rank].push_back({op, position_[edge.to()]});
    }
  }

  void find_collectives(uint32_t rank) {
    const std::span<const OpId> order = program_.order(found_[rank].lane);
    for (uint32_t k = 0; k < order.size(); ++k)
      for (const Edge edge : program_.after(order[k])) after_[edge.to()] = k;
    for (const Follower& follower : followers_[rank])
      before_[follower.collective] = std::min(before_[follower.collective], follower.position);
    for (const LaneId lane : lanes_[rank]) {
      for (const OpId op : program_.order(lane)) {
        if (program_.type(op).kind != OpKind::collective) continue;
        const uint32_t before = std::min(before_[op], static_cast<uint32_t>(order.size()));
        if (after_[op] + 1 < before) found_[rank].collectives.push_back({op, after_[op], before});
        after_[op] = before_[op] = none;
      }
    }
  }

  const Program& program_;
  std::vector<RankBesideCompute> found_;          // by rank
  std::vector<std::vector<LaneId>> lanes_;        // by rank, of its collectives
  std::vector<uint32_t> position_;                // by op, in its rank's compute lane
  std::vector<std::vector<Follower>> followers_;  // by rank
  std::vector<uint32_t> after_, before_;          // by op, in the lane of the rank at hand
};

}  // namespace

std::vector<RankBesideCompute> beside_compute(const Program& program) {
  return BesideFinder(program).run();
}

}  // namespace pipewright
