// The hosts of a cluster: machines with an operating system of their own, of which a rack has many.
#pragma once

#include "config/catalogue.hpp"
#include "config/value.hpp"

namespace pipewright {

/// Returns how many devices in use each host of `cluster` has, the most that is the same for all; 0
/// where devices stand by themselves. Groups without nodes do not count. Throws InputError for what
/// is no cluster.
int devices_of_a_host(const config::Value& cluster, const config::Catalogue& catalogue);

}  // namespace pipewright
