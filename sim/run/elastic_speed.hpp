// How fast a job goes on while nodes are missing.
//
//   none      not at all
//   replicas  without the replicas that lost a device: of D replicas, D - lost of D
//   stages    the replicas of a stage share its work evenly (ReCycle, arXiv 2405.14009): of the
//             stage that lost most, D - lost of D; a stage without replicas stops the job
//   nodes     pipelines are planned anew over what is left (Oobleck, arXiv 2309.08125): the nodes
//             that are left of all, as long as they hold one replica
// Left out: micro-batches that do not divide, bubbles that ReCycle fills with the work of others,
// and unlike stages of Oobleck's pipelines.
#pragma once

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "experiment/training_state.hpp"
#include "program/lower.hpp"

namespace pipewright {

class ElasticSpeed {
 public:
  /// `node_of` has the node of every device of the cluster.
  ElasticSpeed(const Grid& grid, const std::vector<int64_t>& node_of, Elasticity elasticity);

  int nodes() const { return static_cast<int>(nodes_.size()); }
  /// Returns the part of the full speed that is left without the nodes `missing`, by number from 0.
  double without(const std::set<int>& missing) const;

 private:
  using Place = std::pair<int, int>;  // pipeline rank and replica

  std::set<Place> places_on(const std::set<int>& nodes) const;
  double without_replicas(const std::set<int>& missing) const;
  double without_ranks(const std::set<int>& missing) const;

  Elasticity elasticity_;
  int replicas_;
  int ranks_;
  std::vector<std::set<Place>> nodes_;
};

}  // namespace pipewright
