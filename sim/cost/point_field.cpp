// Kriging: the correction is taken for a random field of zero mean whose values at two places at
// distance d go together as
//   C(d) = (exp(-d) + exp(-d / 8)) / 2
// and every measurement carries noise of its own with variance g = 0.05. From the N = 24 nearest
// points with corrections y:   value = c (C + g I)^-1 y,   unknown = 1 - c (C + g I)^-1 c,
// where c are the covariances with the place asked for. The short range carries what neighbouring
// shapes share (the library's choice of a kernel), the long one what a region of shapes shares.
//
// Source: C. E. Rasmussen, C. K. I. Williams, Gaussian Processes for Machine Learning (2006), eq.
// 2.25 and 2.26. N, g and the two ranges were chosen on points held out of H100's tables and are
// the same for all kernels and devices.
#include "cost/point_field.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

namespace pipewright {
namespace {

constexpr size_t most_points = 24, most_rows = 40, columns_a_side = 5;
constexpr double noise = 0.05, reach = 6;

double distance(const Place& a, const Place& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += std::abs(a[i] - b[i]);
  return sum;
}

double covariance(double d) { return (std::exp(-d) + std::exp(-d / 8)) / 2; }

Place plus(const Place& a, const Place& b) {
  Place sum;
  for (size_t i = 0; i < a.size(); ++i) sum[i] = a[i] + b[i];
  return sum;
}

Place minus(const Place& a, const Place& b) {
  Place difference;
  for (size_t i = 0; i < a.size(); ++i) difference[i] = a[i] - b[i];
  return difference;
}

}  // namespace

PointField::PointField(PointTable table, Placing placing)
    : table_(std::move(table)), placing_(placing) {
  std::array<int64_t, 5> sizes;
  sizes.fill(1);
  const Place origin = placing_(sizes);
  const size_t last = table_.keys->count;
  for (const int64_t column : table_.columns) {
    sizes[last] = column;
    columns_.push_back(minus(placing_(sizes), origin));
    for (size_t i = 0; i < origin.size(); ++i) of_column_[i] |= columns_.back()[i] != 0;
  }
  least_.fill(std::numeric_limits<double>::infinity());
  greatest_.fill(-std::numeric_limits<double>::infinity());
  for (const PointTable::Row& row : table_.rows) {
    std::copy(row.sizes.begin(), row.sizes.end(), sizes.begin());
    sizes[last] = 1;
    rows_.push_back(placing_(sizes));
    for (const Place& column : columns_) {
      const Place place = plus(rows_.back(), column);
      for (size_t i = 0; i < place.size(); ++i) {
        least_[i] = std::min(least_[i], place[i]);
        greatest_[i] = std::max(greatest_[i], place[i]);
      }
    }
  }
}

bool PointField::covers(const std::array<int64_t, 5>& sizes) const {
  constexpr double slack = 1e-9;
  const Place place = placing_(sizes);
  for (size_t i = 0; i < place.size(); ++i)
    if (place[i] < least_[i] - slack || place[i] > greatest_[i] + slack) return false;
  return true;
}

Sample PointField::sample(const Near& near) const {
  const PointTable::Row& row = table_.rows[near.row];
  Sample sample{.seconds = static_cast<double>(row.seconds[near.column])};
  std::copy(row.sizes.begin(), row.sizes.end(), sample.sizes.begin());
  sample.sizes[table_.keys->count] = table_.columns[near.column];
  return sample;
}

void PointField::add_columns(const Place& at, uint32_t row, std::vector<Near>& found) const {
  const std::vector<float>& seconds = table_.rows[row].seconds;
  const size_t begin = found.size();
  for (uint32_t column = 0; column < columns_.size(); ++column) {
    if (std::isnan(seconds[column])) continue;
    const double d = distance(at, plus(rows_[row], columns_[column]));
    if (d < reach) found.push_back({d, row, column});
  }
  constexpr size_t most = 2 * columns_a_side;
  if (found.size() - begin <= most) return;
  const auto nearer = [](const Near& a, const Near& b) { return a.distance < b.distance; };
  const auto first = found.begin() + static_cast<long>(begin);
  std::nth_element(first, first + most, found.end(), nearer);
  found.resize(begin + most);
}

std::vector<PointField::Near> PointField::nearest(const Place& at) const {
  std::vector<std::pair<double, uint32_t>> rows;
  for (uint32_t row = 0; row < rows_.size(); ++row) {
    double d = 0;
    for (size_t i = 0; i < at.size(); ++i)
      if (!of_column_[i]) d += std::abs(at[i] - rows_[row][i]);
    rows.emplace_back(d, row);
  }
  const size_t count = std::min(most_rows, rows.size());
  std::partial_sort(rows.begin(), rows.begin() + static_cast<long>(count), rows.end());
  std::vector<Near> found;
  for (size_t i = 0; i < count; ++i) add_columns(at, rows[i].second, found);
  const auto before = [](const Near& a, const Near& b) {
    return std::tie(a.distance, a.row, a.column) < std::tie(b.distance, b.row, b.column);
  };
  const size_t points = std::min(most_points, found.size());
  std::partial_sort(found.begin(), found.begin() + static_cast<long>(points), found.end(), before);
  found.resize(points);
  return found;
}

Carried PointField::carry(const std::array<int64_t, 5>& sizes,
                          const std::function<double(const Sample&)>& correction) const {
  const std::vector<Near> near = nearest(placing_(sizes));
  if (near.empty()) return {};
  const auto n = static_cast<Eigen::Index>(near.size());
  Eigen::MatrixXd between(n, n);
  Eigen::VectorXd with(n), known(n);
  std::vector<Place> places;
  for (const Near& point : near) places.push_back(plus(rows_[point.row], columns_[point.column]));
  for (Eigen::Index i = 0; i < n; ++i) {
    const auto a = static_cast<size_t>(i);
    known[i] = correction(sample(near[a]));
    with[i] = covariance(near[a].distance);
    for (Eigen::Index j = 0; j < i; ++j)
      between(i, j) = between(j, i) =
          covariance(distance(places[a], places[static_cast<size_t>(j)]));
    between(i, i) = covariance(0) + noise;
  }
  const Eigen::VectorXd weights = between.llt().solve(with);
  return {weights.dot(known), std::max(0.0, 1 - weights.dot(with))};
}

}  // namespace pipewright
