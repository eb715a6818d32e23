// Tells what ten per cent more of each resource would gain.
#pragma once

#include "machine/run_options.hpp"
#include "result/sensitivity.hpp"
#include "simulate/run.hpp"

namespace pipewright {

/// One simulation for each of: the devices' FLOP/s, memory bandwidth and memory; the bandwidth of
/// every kind of link that the cluster has, its latency divided by 1.1; and the number of devices.
/// Measured kernels change as their rooflines do. Ten per cent more devices are rarely a cluster:
/// the gain of the next larger number of replicas that divides the batch is brought down to ten
/// per cent as a power law. Throws InputError.
Sensitivity sensitivity_of(const config::Value& experiment, const config::Catalogue& catalogue,
                           const RunOptions& options, int jobs);

}  // namespace pipewright
