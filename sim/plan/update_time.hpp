// The time that follows the last pass of a rank: gradients of which the pass hides a part, the
// optimizer step, and updated weights that replicas gather from each other.
//   exposed = max_i (i/n B + sum_{j>=i} R_j) - B
// for the n buckets of a stage, whose reductions R_j follow each other, each once its bucket is
// full; the last pass B fills them one after the other, as if all took as long to fill. Left out:
// other traffic on the links, and reductions that earlier chunks of the rank have left undone.
// Gradients that ZeRO 2 scatters after each of m backward passes hide behind it and the forward
// pass that follows, but for those of the first layers, which come last:
//   exposed = m max(R_last, sum_j R_j - F - B)
// Under ZeRO 3 weights are gathered before a forward pass and, where they were given up, before the
// backward pass too; one part of a stage is gathered ahead of another that computes:
//   exposed = m (max(0, sum_j G_j - F) + max(R_last, sum_j (G_j + R_j) - B))
#pragma once

#include <span>

#include "engine/price.hpp"
#include "program/lower.hpp"

namespace pipewright {

/// The devices that hold the same weights as the first of a mesh.
struct Holders {
  std::vector<int32_t> weights, experts;
};
/// Returns the holders for a mesh's devices by replica * tensor + tensor rank, the first of them
/// `first`.
Holders holders(const Mesh& mesh, int32_t first);
/// Returns the holders for the devices that the mesh lists.
Holders holders(const Mesh& mesh);
/// Returns those of them that weights are cut over; needs a mesh with shards.
Holders sharers(const Mesh& mesh);

/// Returns the exposed time of the reductions of `update` beside a last pass of `last`.
Time exposed_reductions(const UpdateWork& update, const Prices& prices, const Holders& holders,
                        Time last);
/// Returns the exposed time of scattering the gradients of a stage, part by part, after each of
/// `passes` backward passes; with the forward pass one of them takes `both`, under ZeRO 2.
Time exposed_scatters(const ShardedWeights::Stage& stage, const Prices& prices,
                      const Holders& holders, Time both, int64_t passes);
/// The forward and backward passes of a stage in a step.
struct StagePasses {
  Time forward, backward;
  int64_t count = 1;
};
/// Returns the exposed time of a stage's gathers and reductions under ZeRO 3, over the holders that
/// cut its weights. `reshard`: weights are given up after a forward pass. Sums over copies of
/// shards are left out.
Time exposed_sharding(const ShardedWeights::Stage& stage, bool reshard, const Prices& prices,
                      const Holders& holders, const StagePasses& passes);
/// Returns the time of the optimizer's kernels and the gathering of weights.
Time step_time(const UpdateWork& update, const Prices& prices, const Holders& holders);

}  // namespace pipewright
