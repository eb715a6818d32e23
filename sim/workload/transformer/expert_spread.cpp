// A token goes once to every place, a node or a device, that has experts of it.
//
//   share = p n / k,   p = 1 - C(E - E/n, k) / C(E, k)
//   E experts, k active, n places that have E / n each; p is the chance that a place has one of k
//   different experts chosen evenly. Each of k copies goes to another place with 1 - 1/n: of
//   k (n - 1) / n copies p (n - 1) are sent.
//
// Where a token is limited to a of G groups (2412.19437, 2.1.2), these too are chosen evenly, and
// then the k experts among the a E / G that they hold. With j of its groups chosen a place offers
// o = j E / G experts, all E / n where a group spans places:
//   p = sum over j of P(j) (1 - C(a E/G - o, k) / C(a E/G, k)),
// with P(j) hypergeometric. Groups and places hold experts in order.
#include "workload/transformer/expert_spread.hpp"

#include <algorithm>
#include <boost/math/distributions/hypergeometric.hpp>

namespace pipewright {
namespace {

/// Returns the chance that none of `drawn` different ones out of `all` is among `marked` of them.
double misses(double all, double marked, int64_t drawn) {
  double chance = 1;
  for (int64_t k = 0; k < drawn; ++k) {
    const auto before = static_cast<double>(k);
    chance *= std::max(all - marked - before, 0.0) / (all - before);
  }
  return chance;
}

/// Returns the chance that `hits` of `drawn` different ones out of `all` are among `marked` of
/// them.
double hits_exactly(int64_t all, int64_t marked, int64_t drawn, int64_t hits) {
  if (hits > std::min(marked, drawn) || drawn - hits > all - marked) return 0;
  const boost::math::hypergeometric_distribution<double> drawing(
      static_cast<uint64_t>(marked), static_cast<uint64_t>(drawn), static_cast<uint64_t>(all));
  return pdf(drawing, static_cast<uint64_t>(hits));
}

/// Returns the chance that a token has an expert on a given one of `places`.
double reached(const Experts& experts, int places) {
  const auto count = static_cast<double>(experts.count);
  const int64_t on_place = std::max<int64_t>(1, experts.groups / places);
  const int64_t in_groups = experts.active_groups * (experts.count / experts.groups);
  const auto open = static_cast<double>(in_groups + experts.zero);
  double chance = 0;
  for (int64_t j = 1; j <= on_place; ++j) {
    const double offered = count / places * static_cast<double>(j) / static_cast<double>(on_place);
    chance += hits_exactly(experts.groups, on_place, experts.active_groups, j) *
              (1 - misses(open, std::min(open, offered), experts.active));
  }
  return chance;
}

}  // namespace

double sent_once(const Experts& experts, int places) {
  if (places <= 1) return 1;
  return std::min(1.0, reached(experts, places) * places / experts.working());
}

}  // namespace pipewright
