// Whose kernels send tokens to experts on a cluster.
#pragma once

#include <optional>

#include "experiment/experiment.hpp"
#include "network/nccl/exchange.hpp"
#include "topology/cluster/cluster.hpp"

namespace pipewright {

/// Returns whose kernels send where a library does and nobody says which: HybridEP's on
/// GB200 and GB300, whose racks NVLink joins, else DeepEP's (Megatron Bridge,
/// training/flex_dispatcher_backend.py).
DispatchKernels automatic_kernels(const Cluster& cluster);

/// Returns the exchanges of a job; nothing where NCCL sends all that there is.
std::optional<Exchange> exchange_of(const Experiment& experiment, const Cluster& cluster,
                                    const config::Catalogue& catalogue);

/// Returns all that exchange_of() depends on beside the cluster, as text.
std::string exchange_text(const Experiment& experiment);

}  // namespace pipewright
