#include "run/elastic_speed.hpp"

#include <algorithm>
#include <map>

namespace pipewright {

ElasticSpeed::ElasticSpeed(const Grid& grid, const std::vector<int64_t>& node_of,
                           Elasticity elasticity)
    : elasticity_(elasticity), replicas_(grid.meshes.front().replicas()), ranks_(grid.pipeline()) {
  std::map<int64_t, std::set<Place>> by_node;
  for (int rank = 0; rank < ranks_; ++rank) {
    const Mesh& mesh = grid.mesh(rank);
    for (int replica = 0; replica < mesh.replicas(); ++replica)
      for (int t = 0; t < mesh.tensor; ++t)
        by_node[node_of[static_cast<size_t>(mesh.device(t, replica))]].insert({rank, replica});
  }
  for (auto& [node, places] : by_node) nodes_.push_back(std::move(places));
}

std::set<ElasticSpeed::Place> ElasticSpeed::places_on(const std::set<int>& nodes) const {
  std::set<Place> places;
  for (const int node : nodes) {
    const std::set<Place>& here = nodes_[static_cast<size_t>(node)];
    places.insert(here.begin(), here.end());
  }
  return places;
}

double ElasticSpeed::without(const std::set<int>& missing) const {
  if (missing.empty()) return 1;
  switch (elasticity_) {
    case Elasticity::none:
      return 0;
    case Elasticity::replicas:
      return without_replicas(missing);
    case Elasticity::stages:
      return without_ranks(missing);
    case Elasticity::nodes:
      break;
  }
  const auto left = static_cast<double>(nodes() - static_cast<int>(missing.size()));
  const double speed = left / nodes();
  return speed * replicas_ < 1 ? 0 : speed;
}

double ElasticSpeed::without_replicas(const std::set<int>& missing) const {
  std::set<int> lost;
  for (const Place& place : places_on(missing)) lost.insert(place.second);
  return static_cast<double>(replicas_ - static_cast<int>(lost.size())) / replicas_;
}

double ElasticSpeed::without_ranks(const std::set<int>& missing) const {
  std::vector<int> lost(static_cast<size_t>(ranks_));
  for (const Place& place : places_on(missing)) ++lost[static_cast<size_t>(place.first)];
  return static_cast<double>(replicas_ - *std::ranges::max_element(lost)) / replicas_;
}

}  // namespace pipewright
