#include "diagnose/cause_order.hpp"

#include <algorithm>
#include <tuple>

namespace pipewright::diagnose {

Peers peers_in(const MeasuredJob& job) {
  return job.ranks() > 1 || !job.slow_members.empty() ? Peers::some : Peers::none;
}

bool comes_before(const Cause& one, const Cause& other, Peers peers) {
  const auto place = [&](const Cause& cause) {
    return std::tuple(peers == Peers::some && cause.beyond_peers, -cause.recovered_s,
                      -cause.attributed_s);
  };
  return place(one) < place(other);
}

void put_in_order(std::vector<Cause>& causes, Peers peers) {
  std::ranges::stable_sort(causes, [&](const Cause& one, const Cause& other) {
    return comes_before(one, other, peers);
  });
}

}  // namespace pipewright::diagnose
