// To how many of the places of its experts a token goes.
#pragma once

#include "workload/transformer/experts_shape.hpp"

namespace pipewright {

/// Returns the share of a token's copies that are sent where each of `places`, nodes or devices,
/// that has experts of it gets it once; 1 for a single place. Places have equally many experts.
double sent_once(const Experts& experts, int places);

}  // namespace pipewright
