// Cheapest paths inside one part of a topology: a node, or the fabric between nodes.
#pragma once

#include <compare>
#include <memory>
#include <span>
#include <vector>

#include "topology/wiring.hpp"

namespace pipewright {

/// Paths are compared by the links between groups, then by those of hosts, as NCCL takes NVLink
/// before PCIe whatever their latencies (graph/topo.h, PATH_NVL to PATH_SYS), then by latency, then
/// by the number of links.
struct RouteCost {
  int64_t group_links = 0;
  int64_t host_links = 0;
  int64_t latency_ps = 0;
  int64_t links = 0;
  constexpr auto operator<=>(const RouteCost&) const = default;
  constexpr bool reachable() const { return latency_ps != INT64_MAX; }
};
inline constexpr RouteCost unreachable{INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX};
constexpr RouteCost operator+(RouteCost a, RouteCost b) {
  if (!a.reachable() || !b.reachable()) return unreachable;
  return {a.group_links + b.group_links, a.host_links + b.host_links, a.latency_ps + b.latency_ps,
          a.links + b.links};
}
inline RouteCost cost_of(const Link& link) {
  return {link.joins_groups ? 1 : 0, link.of_host ? 1 : 0, link.latency.ps, 1};
}

enum class SearchWay : uint8_t { from_source, to_source };

/// Tells whether bytes may pass through: devices and NICs only send and receive.
constexpr bool forwards(VertexKind kind) {
  return kind != VertexKind::device && kind != VertexKind::nic;
}

class Region {
 public:
  /// `members` are vertices of `wiring`, `inner` the links between two of them, and `place` tells,
  /// by vertex, where each stands in `members`.
  Region(const Wiring& wiring, std::span<const VertexId> members, std::span<const LinkId> inner,
         std::span<const uint32_t> place);
  Region(Region&&) noexcept;
  ~Region();

  /// Returns, by place, the cost of the route between `source` and each member in the given
  /// direction.
  std::vector<RouteCost> search(const Wiring& wiring, VertexId source, SearchWay direction,
                                std::span<const uint32_t> place) const;

 private:
  struct Graph;
  std::unique_ptr<Graph> graph_;
};

}  // namespace pipewright
