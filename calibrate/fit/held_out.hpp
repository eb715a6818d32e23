// Points that a fit does not see, and how far off it is at them.
#pragma once

#include <functional>

#include "cost/profile.hpp"

namespace pipewright::fit {

/// A table cut in two.
struct Cut {
  std::vector<Sample> seen, held;
};
/// One of `parts` points, or of `parts` whole rows, held out; which is decided by the sizes alone.
Cut cut_points(const PointTable& table, uint64_t parts);
Cut cut_rows(const PointTable& table, uint64_t parts);

/// Percentiles of |predicted / measured - 1|.
HeldOutError error_at(const std::string& points, const std::vector<Sample>& samples,
                      const std::function<double(const Sample&)>& predicted);

/// Returns percentiles of errors that are not negative.
HeldOutError percentiles(const std::string& points, std::vector<double> errors);

}  // namespace pipewright::fit
