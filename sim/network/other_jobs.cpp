#include "network/other_jobs.hpp"

#include <cmath>

#include "topology/between_nodes.hpp"

namespace pipewright {
namespace {

constexpr double efa_expected = 0.19, efa_slowest_tenth = 0.56;

bool is_efa(LinkKind kind) {
  return kind == LinkKind::efa || kind == LinkKind::efa_1 || kind == LinkKind::efa_3;
}

double growth(LinkKind kind, int nodes, double by) {
  return is_efa(kind) && nodes > 1 ? std::pow(nodes, by) : 1;
}

}  // namespace

double expected_load(LinkKind kind, int nodes) { return growth(kind, nodes, efa_expected); }

double busy_factor(LinkKind kind, int nodes) {
  return growth(kind, nodes, efa_slowest_tenth - efa_expected);
}

double busy_factor(const Topology& topology, int nodes) {
  return busy_factor(kind_between_nodes(topology), nodes);
}

}  // namespace pipewright
