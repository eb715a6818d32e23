// Tells what hashed routes make of a collective around rings: between nodes its rails meet on links
// that others of them were drawn to as well, and the fullest sets the pace of all.
//
//   slowdown = max over links of drawn load / bandwidth, over the same with even spreading
//
// It stretches the time that bytes move, not the latencies. Only the rails of the one ring of
// find_ring are drawn; what others send at the same time, trees and switches that reduce are not in
// here.
#pragma once

#include <span>
#include <vector>

#include "topology/spreading.hpp"

namespace pipewright {

struct RouteDraws {
  Spreading spreading;
  int seeds = 20;
};

/// One for each seed, ascending; 1 where nothing is drawn.
std::vector<double> slowdowns(const Topology& topology, std::span<const int> devices,
                              const RouteDraws& draws);

/// Interpolates between the two nearest of `sorted`, which must not be empty.
double quantile(std::span<const double> sorted, double fraction);

}  // namespace pipewright
