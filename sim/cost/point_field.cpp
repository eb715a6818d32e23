// Neighbours are looked for in two steps, so that a lookup need not place all points: by the
// coordinates that are sums over row and column, then among the nearest of those by all.
#include "cost/point_field.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

namespace pipewright {
namespace {

constexpr size_t most_points = 48, most_candidates = 160, most_rows = 64, columns_a_row = 16;
constexpr size_t summed = 5;
constexpr double reach = 6;

Place summed_of(Place place) {
  std::fill(place.begin() + summed, place.end(), 0);
  return place;
}

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

/// The `count` nearest, in order; equally near ones by row and column.
template <class T>
void keep_nearest(std::vector<T>& all, size_t count) {
  const auto before = [](const T& a, const T& b) {
    return std::tie(a.distance, a.row, a.column) < std::tie(b.distance, b.row, b.column);
  };
  count = std::min(count, all.size());
  std::partial_sort(all.begin(), all.begin() + static_cast<long>(count), all.end(), before);
  all.resize(count);
}

}  // namespace

PointField::PointField(PointTable table, Placing placing, Likeness likeness)
    : table_(std::move(table)),
      placing_(std::move(placing)),
      likeness_(std::move(likeness)),
      row_nearness_(likeness_.nearness) {
  std::array<int64_t, 5> sizes;
  sizes.fill(1);
  const Place origin = summed_of(placing_(sizes));
  const size_t last = table_.keys->count;
  for (const int64_t column : table_.columns) {
    sizes[last] = column;
    columns_.push_back(minus(summed_of(placing_(sizes)), origin));
    for (size_t i = 0; i < origin.size(); ++i)
      if (columns_.back()[i] != 0) row_nearness_[i] = 0;
  }
  least_.fill(std::numeric_limits<double>::infinity());
  greatest_.fill(-std::numeric_limits<double>::infinity());
  for (const PointTable::Row& row : table_.rows) {
    std::copy(row.sizes.begin(), row.sizes.end(), sizes.begin());
    sizes[last] = 1;
    rows_.push_back(summed_of(placing_(sizes)));
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
  const Place place = summed_of(placing_(sizes));
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
  std::vector<Near> here;
  for (uint32_t column = 0; column < columns_.size(); ++column) {
    if (std::isnan(seconds[column])) continue;
    const double d = distance(likeness_.nearness, at, plus(rows_[row], columns_[column]));
    if (d < reach) here.push_back({d, row, column});
  }
  keep_nearest(here, columns_a_row);
  found.insert(found.end(), here.begin(), here.end());
}

std::vector<PointField::Near> PointField::candidates(const Place& at) const {
  std::vector<Near> rows;
  for (uint32_t row = 0; row < rows_.size(); ++row) {
    rows.push_back({distance(row_nearness_, at, rows_[row]), row, 0});
  }
  keep_nearest(rows, most_rows);
  std::vector<Near> found;
  for (const Near& row : rows) add_columns(at, row.row, found);
  keep_nearest(found, most_candidates);
  return found;
}

Carried PointField::carry(const std::array<int64_t, 5>& sizes,
                          const std::function<double(const Sample&)>& correction) const {
  const Place at = placing_(sizes);
  std::vector<Near> near = candidates(summed_of(at));
  for (Near& point : near)
    point.distance = distance(likeness_.nearness, at, placing_(sample(point).sizes));
  keep_nearest(near, most_points);
  std::vector<Place> places;
  std::vector<double> known;
  for (const Near& point : near) {
    const Sample neighbour = sample(point);
    places.push_back(placing_(neighbour.sizes));
    known.push_back(correction(neighbour));
  }
  return pipewright::carry(likeness_, at, places, known);
}

}  // namespace pipewright
