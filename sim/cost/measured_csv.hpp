// Measurements as comma-separated values, one a line, the way they are published and handed in.
#pragma once

#include "cost/points.hpp"

namespace pipewright {

/// Reads `dtype,m,n,k,time_s` (products) or `batch,sequence,heads,kv_heads,head_dim,time_s` (fused
/// causal attention in bf16, forward), by which the header tells what it is; further columns are
/// not read. One table a type. Throws InputError with file, line and column.
std::vector<PointTable> read_measured_csv(std::string_view text, const std::string& file);

}  // namespace pipewright
