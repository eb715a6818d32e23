#include "diagnose/cause_order.hpp"

#include <algorithm>
#include <tuple>

namespace pipewright::diagnose {
namespace {

/// Gains are told within this part of them, which tests/cli/outside holds. What recovers less is
/// within the error of another gain.
constexpr double error_of_gains = 0.05;

}  // namespace

void put_in_order(std::vector<Cause>& causes, Peers peers) {
  double most_of_all = 0;  // of what all peers have
  for (const Cause& one : causes)
    if (one.beyond_peers) most_of_all = std::max(most_of_all, one.recovered_s);
  const auto stands_behind = [&](const Cause& one) {
    const double gain = std::max(one.recovered_s, one.attributed_s);
    return peers == Peers::some && (one.beyond_peers || gain < error_of_gains * most_of_all);
  };
  std::ranges::stable_sort(causes, {}, [&](const Cause& one) {
    return std::tuple(one.kind == CauseKind::bubble, stands_behind(one), -one.recovered_s);
  });
}

}  // namespace pipewright::diagnose
