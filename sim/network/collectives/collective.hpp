// The algorithms by which a collective moves bytes between the members of a group. Every algorithm
// has two forms that agree: fluid, one flow for each edge that it uses, and expanded, message by
// message in rounds. Members are numbered by rank in the group, node by node;
// `Members::in_switch()` stands for the switch of their node, where an algorithm reduces or copies
// in it.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "topology/topology.hpp"
#include "workload/layer.hpp"

namespace pipewright::collective {

struct Members {
  std::vector<int> devices;  ///< by rank, ascending, hence node by node
  std::vector<int> nodes;    ///< first rank of each node, then the number of ranks
  /// Rings that can lie beside each other: the least NICs that the members of a node have, or, in
  /// one node where links join each of them to each, the members.
  int rails = 1;

  int size() const { return static_cast<int>(devices.size()); }
  int node_count() const { return static_cast<int>(nodes.size()) - 1; }
  /// Members on every node; 0 where nodes have unequal shares.
  int per_node() const;
  int in_switch() const { return size(); }
};
Members members_on(const Topology& topology, std::span<const int> devices);

/// Bytes from one rank to another.
struct Edge {
  int from = 0, to = 0;
  Bytes bytes;
  /// Streams of a message: it leaves when what its sender got on the stream `reads` in earlier
  /// rounds has arrived, and arrives on the stream `writes`. Pipelines and rings that lie beside
  /// each other need more than one.
  uint8_t reads = 0, writes = 0;
};
inline constexpr size_t streams = 8;

/// A hop whose latency is paid `times` times, one after the other.
struct Hop {
  int from = 0, to = 0;
  int64_t times = 1;
};

/// Every member sends to every other, all at once.
struct Exchange {
  std::vector<Bytes> to;  ///< by rank: what it gets from each that sends to it
  /// A member sends only to those that have its place on other nodes, which have equal shares.
  bool along_rails = false;
};

struct Fluid {
  std::vector<Edge> edges;           ///< all flow at once
  std::optional<Exchange> exchange;  ///< flows beside them: too many to list
  std::vector<Hop> chain;            ///< the hops that one piece of data takes from first to last
  /// The chain goes around a ring and leaves out one edge: the one of least latency, as the longest
  /// chain does.
  bool spares_least = false;
};

struct Rounds {
  int64_t count = 0;
  std::function<void(int64_t round, std::vector<Edge>& messages)> messages;  ///< appends
};

struct Algorithm {
  std::string_view name, summary;
  bool (*serves)(CollectiveKind kind, const Members& members);
  /// `bytes` as nccl-tests counts, see CollectiveWork. Rank 0 is the root where there is one.
  Fluid (*fluid)(CollectiveKind kind, const Members& members, Bytes bytes);
  Rounds (*rounds)(CollectiveKind kind, const Members& members, Bytes bytes);
};

/// All algorithms, in the order of the list in meson.build.
std::span<const Algorithm* const> algorithms();

/// Returns the edges, those of the exchange one by one.
std::vector<Edge> all_edges(const Members& members, const Fluid& fluid);

/// Latencies of the chain, then the busiest link's bytes over its bandwidth. Throws Failure where
/// there is no route.
Time fluid_time(const Topology& topology, const Members& members, const Fluid& fluid);

/// The same of an algorithm that serves a collective, for buffers of several sizes.
std::vector<Time> fluid_times(const Topology& topology, const Members& members,
                              const Algorithm& algorithm, CollectiveKind kind,
                              std::span<const Bytes> sizes);

/// Every message by itself: it occupies the port of its sender and then that of its receiver for
/// bytes / bandwidth and arrives a latency later. A rank has a port out of its node, and one for
/// each of its links within the node. The fabric between the ports is not shared.
Time expanded_time(const Topology& topology, const Members& members, const Rounds& rounds);

/// The same of an algorithm that serves a collective, for buffers of several sizes.
std::vector<Time> expanded_times(const Topology& topology, const Members& members,
                                 const Algorithm& algorithm, CollectiveKind kind,
                                 std::span<const Bytes> sizes);

}  // namespace pipewright::collective
