// The ops of a program that differ in their micro-batch alone.
#pragma once

#include <vector>

#include "program/program.hpp"

namespace pipewright {

struct OpSeries {
  std::vector<OpId> ops;  ///< series k is ops[offset[k] .. offset[k+1]), by micro-batch
  std::vector<size_t> offset;
};

/// Returns the series of `program`. Of several ops that are alike and of one micro-batch each is of
/// another series, in the order of their numbers.
OpSeries series_of(const Program& program);

}  // namespace pipewright
