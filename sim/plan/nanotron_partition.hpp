// The partition that nanotron makes where nobody says one.
//
// Blocks in model order cost what their products weigh, the head vocabulary x hidden; embedding and
// norm cost nothing. A block goes to the stage at hand, which ends when the sum so far exceeds its
// share of all. A head that would stand before the last stage is kept behind the last block.
// Source: huggingface/nanotron, src/nanotron/models/base.py (build_model), models/llama.py
// (get_block_compute_costs).
#pragma once

#include <cstdint>
#include <vector>

#include "experiment/experiment.hpp"
#include "workload/transformer/transformer_shape.hpp"

namespace pipewright {

/// Returns how many blocks each stage has.
std::vector<int64_t> nanotron_counts(const TransformerShape& shape, int stages);

/// Returns the partition that the experiment asks for: nanotron's, in counts, where the framework
/// is nanotron and no partition is given.
PartitionOptions settled_partition(const Experiment& experiment, int stages);

}  // namespace pipewright
