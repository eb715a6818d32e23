// A transformer whose products are cut over a grid each in its own way.
#pragma once

#include <vector>

#include "workload/transformer/transformer_shape.hpp"
#include "workload/workload_options.hpp"

namespace pipewright::transformer {

/// `options.signatures` name qkv, out, up, down and perhaps head. Throws Misfit, at the signature
/// or at `where`, for what the sides do not divide.
std::vector<Layer> signed_layers(const TransformerShape& shape, const WorkloadOptions& options,
                                 int64_t positions, const config::Value& where);

}  // namespace pipewright::transformer
