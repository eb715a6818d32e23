// Values that do not belong to the others.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace pipewright::calibration {

struct Outlier {
  size_t index = 0;
  double value = 0, median = 0;
  double deviations = 0;  ///< from the median, in robust standard deviations; below it negative
};

double median(std::vector<double> values);

/// Returns the values further from the median than 5 robust standard deviations (1.4826 x the
/// median distance from it, but at least 1 % of it) and than 5 %: of normal ones one in two
/// million.
std::vector<Outlier> outliers(std::span<const double> values);

}  // namespace pipewright::calibration
