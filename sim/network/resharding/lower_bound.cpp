#include <algorithm>
#include <map>
#include <set>

#include "network/resharding/plan.hpp"
#include "network/resharding/ways.hpp"

namespace pipewright::resharding {
namespace {

/// The bytes/s of ways out of hosts or into them.
class Rates {
 public:
  void add(VertexId way, Bandwidth rate) {
    double& known = of_[way];
    known = std::max(known, rate.bytes_per_s);
  }
  double sum() const {
    double sum = 0;
    for (const auto& [way, rate] : of_) sum += rate;
    return sum;
  }

 private:
  std::map<VertexId, double> of_;
};

}  // namespace

Time lower_bound(const Topology& topology, const Meshes& meshes, std::span<const Piece> pieces,
                 Bytes bytes) {
  std::map<NodeId, double> wanted;
  std::map<NodeId, Rates> in;
  Rates out;
  double crossing = 0;
  for (const Piece& piece : pieces) {
    const auto from = [&](int holder) { return meshes.from[static_cast<size_t>(holder)]; };
    std::set<NodeId> holding, taking;
    for (const int holder : piece.holders) holding.insert(topology.node(from(holder)));
    int taker_abroad = -1;
    for (const int taker : piece.takers) {
      const int device = meshes.to[static_cast<size_t>(taker)];
      const NodeId host = topology.node(device);
      if (holding.contains(host)) continue;
      const Route route = topology.route(from(piece.holders.front()), device);
      in[host].add(ways_of(topology, route).in, route.bottleneck);
      taker_abroad = device;
      if (taking.insert(host).second) wanted[host] += piece.share;
    }
    if (taker_abroad < 0) continue;
    crossing += piece.share;
    for (const int holder : piece.holders) {
      const Route route = topology.route(from(holder), taker_abroad);
      out.add(ways_of(topology, route).out, route.bottleneck);
    }
  }
  const double size = static_cast<double>(bytes.count);
  double longest = 0;
  for (const auto& [host, share] : wanted)
    longest = std::max(longest, share * size / in[host].sum());
  if (crossing > 0) longest = std::max(longest, crossing * size / out.sum());
  return seconds(longest);
}

}  // namespace pipewright::resharding
