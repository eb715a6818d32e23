// Classes of replicas that collectives couple in blocks.
//
// Experts and sharded weights join consecutive replicas, a block, within a pass, and the replicas
// at one position of all blocks after it. So replicas are a table of blocks by positions. Blocks of
// which no position differs are alike, and so are positions that no block tells apart. One block of
// each kind at one position of each kind does for all: whoever joins a simulated replica in a
// collective has its kind simulated in that same collective.
#pragma once

#include <vector>

#include "program/lower.hpp"

namespace pipewright {

/// Returns the classes, ascending by the replica that stands for the others. `colours`: by replica,
/// equal where two see the same times; `block` divides their number.
std::vector<ReplicaClass> classes_of_blocks(const std::vector<size_t>& colours, int block);

/// Returns how many consecutive replicas of a mesh are a block; 0 where its replicas are no such
/// table.
int replicas_in_block(const Mesh& mesh);

}  // namespace pipewright
