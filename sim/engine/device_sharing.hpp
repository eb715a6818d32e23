// Models what ops that run beside each other on one device take from each other.
//
// Assumption: a collective's channels are blocks that keep their processors as long as its bytes
//   move, and compute gets the others; of the memory's bandwidth, too, it gets what is left. While
//   k of n processors are held and collectives move t bytes/s through a memory of b bytes/s, an op
//   that alone keeps the memory busy for the fraction h of its time goes on at the rate
//       min(1 - k / n, (1 - t / b) / h, 1).
//   t = 3 s for s bytes/s sent: a ring's member writes what comes in, and reads it and its own part
//   to pass the sum on.
// Evidence: k / n is 0.15 (V100) to 0.22 (A100); measured slowdowns of compute beside collectives
//   are 19 % in the mean and 40 % at most (arXiv 2507.03114).
// Limits: messages between stages hold too few channels to count; collectives themselves are not
//   slowed; caches and clocks, which make up the rest of the worst cases, are not modelled.
//
// Only compute between the op that a collective waits for and the op that waits for it can meet it:
// all other ops stay free of sharing.
#pragma once

#include "engine/beside_compute.hpp"
#include "engine/contention.hpp"
#include "engine/op_routes.hpp"

namespace pipewright {

/// Adds a route for every compute op that collectives may slow to `op_routes`, and returns what
/// they share: processors and memory of the devices of simulated ranks. `duration` is by op, of
/// each alone; `beside` is beside_compute() of the program.
std::vector<SharedLink> share_devices(const Program& program, const Prices& prices,
                                      std::span<const Time> duration,
                                      std::span<const RankBesideCompute> beside,
                                      OpRoutes& op_routes);

}  // namespace pipewright
