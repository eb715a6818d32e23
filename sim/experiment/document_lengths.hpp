// `batch.lengths`: documents of unequal length.
#pragma once

#include <cstdint>
#include <vector>

#include "config/value.hpp"

namespace pipewright {

struct DocumentLengths {
  double mean = 0, spread = 0;  ///< of a distribution, where nothing is given
  std::vector<int64_t> given;
  bool packed = true;
};

/// Reads `{mean: 900, spread: 1.1, packing: packed}` or `{file: FILE, packing: padded}`.
DocumentLengths read_lengths(const config::Value& value);

}  // namespace pipewright
