// Partitions: which layers make which stage.
#pragma once

#include <span>
#include <vector>

#include "base/error.hpp"
#include "experiment/option_types.hpp"
#include "experiment/stage_meshes.hpp"
#include "workload/layer.hpp"

namespace pipewright {

/// Stage k holds layers starts[k] to starts[k + 1] - 1: contiguous, in model order, all of them.
struct Partition {
  std::vector<int> starts;  ///< stages + 1 of them, ascending; equal neighbours: an empty stage

  int stages() const { return static_cast<int>(starts.size()) - 1; }
  std::span<const Layer> stage(std::span<const Layer> layers, int k) const {
    return layers.subspan(static_cast<size_t>(starts[k]),
                          static_cast<size_t>(starts[k + 1] - starts[k]));
  }
};

/// Returns how many layers partitions count: all but embeddings in front, and but heads and modules
/// that predict further tokens behind.
int block_count(std::span<const Layer> layers);

/// Returns the partition with so many blocks in each stage, which must add up to all, and so many
/// modules that predict further tokens behind them. Without `predictions` the last stage has those.
Partition partition_of(std::span<const Layer> layers, const std::vector<int64_t>& counts,
                       const std::vector<int64_t>& predictions = {});

/// Returns the partition with as many blocks in every stage, the embedding in front of the first
/// and the head behind the last, as Megatron does. Throws Misfit at `where` when they do not
/// divide.
Partition even_partition(std::span<const Layer> layers, int stages, const Where& where);

/// The least possible cost of the dearest stage, no stage empty; among those cuts one whose stages
/// are near each other. `costs` by layer. Misfit at `where` for fewer layers than stages.
Partition balanced_partition(std::span<const Time> costs, int stages, const Where& where);

/// The same where stages are on unlike devices: `costs[k]` by layer on stage k's.
Partition balanced_partition(std::span<const std::vector<Time>> costs, const Where& where);

/// The stages' layers. Throws InputError where the model's are not those of the entries.
Partition stage_partition(const StageMeshes& meshes, std::span<const Layer> layers);

/// The partition that `options`, said at `where`, ask for. A list counts blocks only. Throws Misfit
/// unless it has one entry a stage and the sum of the blocks. `costs` as in balanced_partition, or
/// one entry for all stages.
Partition make_partition(const PartitionOptions& options, const Where& where,
                         std::span<const Layer> layers, std::span<const std::vector<Time>> costs,
                         int stages);

/// The first block of every stage, counting blocks only: what Recompute::stage_starts takes.
std::vector<int64_t> block_starts(const Partition& partition, std::span<const Layer> layers);

}  // namespace pipewright
