#include "calibrate/measure/outliers.hpp"

#include <algorithm>
#include <cmath>

namespace pipewright::calibration {
namespace {

constexpr double of_normal = 1.4826;  // standard deviation over median distance
constexpr double least_deviation = 0.01, least_distance = 0.05, far = 5;

}  // namespace

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<long>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

std::vector<Outlier> outliers(std::span<const double> values) {
  if (values.size() < 3) return {};  // of two, either may be the odd one
  const double centre = median({values.begin(), values.end()});
  std::vector<double> distances;
  for (const double value : values) distances.push_back(std::abs(value - centre));
  const double deviation =
      std::max(of_normal * median(distances), least_deviation * std::abs(centre));
  std::vector<Outlier> all;
  for (size_t i = 0; i < values.size(); ++i)
    if (distances[i] > far * deviation && distances[i] > least_distance * std::abs(centre))
      all.push_back({i, values[i], centre, (values[i] - centre) / deviation});
  return all;
}

}  // namespace pipewright::calibration
