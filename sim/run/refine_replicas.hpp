// Replicas that take the same time by themselves, told apart by the links that they share with
// others.
#pragma once

#include <optional>

#include "engine/op_routes.hpp"
#include "run/prepared.hpp"

namespace pipewright {

/// The largest classes of replicas, each within one of `folding`, whose members cross links of the
/// same kinds: of one capacity, and loaded alike by members of the same classes. That is the
/// coarsest equitable partition, found by refining colours until nothing changes. Empty where no
/// classes of replicas do: where tensor ranks of one replica differ, or where collectives join some
/// of the replicas but not all, and they are no table of blocks (plan/replica_blocks.hpp).
/// `op_routes` are the routes of `program`, lowered under `folding`.
std::optional<std::vector<ReplicaClass>> refine_replicas(const Prepared& prepared,
                                                         const Folding& folding,
                                                         const Program& program,
                                                         const OpRoutes& op_routes);

}  // namespace pipewright
