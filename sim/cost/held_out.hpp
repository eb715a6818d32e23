// The error of a fit on points that it did not see.
#pragma once

#include <cstdint>
#include <string>

namespace pipewright {

/// Relative errors at measured points that a fit had not seen.
struct HeldOutError {
  std::string points;  ///< how they were chosen
  int64_t count = 0;
  double median = 0, p90 = 0, p95 = 0;
};

}  // namespace pipewright
