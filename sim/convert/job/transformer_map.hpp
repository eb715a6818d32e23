// A transformer's dimensions as a map: the inverse of read_transformer().
#pragma once

#include "config/value.hpp"
#include "workload/transformer/transformer_shape.hpp"

namespace pipewright::job {

/// Returns a transformer with all its dimensions as a `transformer:` map.
config::Value transformer_map(const TransformerShape& shape);

/// Tells whether attention, MLPs and experts all add biases, as one word of a framework says it.
bool all_products_have_biases(const TransformerShape& shape);

}  // namespace pipewright::job
