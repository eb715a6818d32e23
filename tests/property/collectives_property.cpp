// Every algorithm over random groups and sizes: its two forms move the same bytes, and everybody
// ends with what the collective promises.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <numeric>

#include "clusters.hpp"
#include "network/collectives/collective.hpp"

namespace pipewright::collective {
namespace {

constexpr CollectiveKind kinds[] = {CollectiveKind::all_reduce,     CollectiveKind::all_gather,
                                    CollectiveKind::reduce_scatter, CollectiveKind::all_to_all,
                                    CollectiveKind::broadcast,      CollectiveKind::reduce};

Topology some_topology() {
  if (*rc::gen::arbitrary<bool>()) {
    return test::cluster_of(
               fmt::format("{{devices: {}, link: {{latency: {} ns, bandwidth: {} MB/s}}}}",
                           *rc::gen::inRange(2, 40), *rc::gen::inRange(0, 100000),
                           *rc::gen::inRange(1, 100000)))
        .topology;
  }
  return test::cluster_of(fmt::format("{{node: dgx-a100-80g, nodes: {}}}", *rc::gen::inRange(1, 4)))
      .topology;
}

Members some_members(const Topology& topology) {
  std::vector<int> group(static_cast<size_t>(topology.devices()));
  std::iota(group.begin(), group.end(), 0);
  const size_t size = static_cast<size_t>(*rc::gen::inRange(2, topology.devices() + 1));
  group.resize(size);
  return members_on(topology, group);
}

struct Case {
  const Algorithm* algorithm;
  CollectiveKind kind;
};

/// All that serves these members.
std::vector<Case> cases(const Members& members) {
  std::vector<Case> all;
  for (const Algorithm* algorithm : algorithms())
    for (const CollectiveKind kind : kinds)
      if (algorithm->serves(kind, members)) all.push_back({algorithm, kind});
  return all;
}

bool on_a_switch(const Topology& topology) {
  for (const Vertex& vertex : topology.vertices())
    if (vertex.kind == VertexKind::node_switch) return true;
  return false;
}

using Sums = std::map<std::pair<int, int>, int64_t>;

Sums of_fluid(const Members& members, const Fluid& fluid) {
  Sums sums;
  for (const Edge& edge : all_edges(members, fluid))
    if (edge.bytes.count > 0) sums[{edge.from, edge.to}] += edge.bytes.count;
  return sums;
}

Sums of_rounds(const Rounds& rounds) {
  Sums sums;
  std::vector<Edge> messages;
  for (int64_t round = 0; round < rounds.count; ++round) rounds.messages(round, messages);
  for (const Edge& edge : messages)
    if (edge.bytes.count > 0) sums[{edge.from, edge.to}] += edge.bytes.count;
  return sums;
}

RC_GTEST_PROP(Collectives, both_forms_move_the_same_bytes_over_the_same_edges, ()) {
  const Topology topology = some_topology();
  const Members members = some_members(topology);
  const Bytes bytes{*rc::gen::inRange<int64_t>(0, 20'000'000)};
  for (const auto& [algorithm, kind] : cases(members)) {
    RC_ASSERT(of_fluid(members, algorithm->fluid(kind, members, bytes)) ==
              of_rounds(algorithm->rounds(kind, members, bytes)));
  }
}

RC_GTEST_PROP(Collectives, no_member_takes_in_less_than_it_lacks, ()) {
  // Of a gathered buffer or of an exchange each member lacks all but its own part. A sum in which
  // nobody else takes part needs one more buffer's worth in all, n - 1 of them, and, where all
  // want it, as much again.
  const Topology topology = some_topology();
  const Members members = some_members(topology);
  const Bytes bytes{*rc::gen::inRange<int64_t>(0, 20'000'000)};
  const int64_t n = members.size();
  for (const auto& [algorithm, kind] : cases(members)) {
    if (algorithm->name == "in-switch") continue;  // the switch adds on the way
    int64_t sum = 0;
    for (const Edge& edge : all_edges(members, algorithm->fluid(kind, members, bytes)))
      sum += edge.bytes.count;
    const bool twice = kind == CollectiveKind::all_reduce;
    RC_ASSERT(sum >= (twice ? 2 : 1) * (n - 1) * bytes.count);
  }
}

RC_GTEST_PROP(Collectives, messages_one_by_one_never_beat_the_busiest_link, ()) {
  const Topology topology = some_topology();
  const Members members = some_members(topology);
  const Bytes bytes{*rc::gen::inRange<int64_t>(0, 20'000'000)};
  for (const auto& [algorithm, kind] : cases(members)) {
    if (algorithm->name == "in-switch" && !on_a_switch(topology)) continue;
    Fluid fluid = algorithm->fluid(kind, members, bytes);
    fluid.chain.clear();
    const Rounds rounds = algorithm->rounds(kind, members, bytes);
    if (members.node_count() > 1 && topology.devices() % 8 == 0) continue;  // NICs are shared
    RC_ASSERT(expanded_time(topology, members, rounds).ps + rounds.count + 1 >=
              fluid_time(topology, members, fluid).ps);
  }
}

}  // namespace
}  // namespace pipewright::collective
