// Neighbours are looked for in two steps, so that a lookup need not place all points: by the
// coordinates that the row or the column decides, whose distances add up, then among the nearest of
// those by all.
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

std::pair<double, double> range(const std::vector<Place>& places, size_t coordinate) {
  std::pair<double, double> range{std::numeric_limits<double>::infinity(),
                                  -std::numeric_limits<double>::infinity()};
  for (const Place& place : places)
    range = {std::min(range.first, place[coordinate]), std::max(range.second, place[coordinate])};
  return range;
}

/// The `count` nearest, in order; equally near ones by row and column.
template <class T>
void keep_nearest(std::vector<T>& all, size_t count) {
  const auto before = [](const T& a, const T& b) {
    return std::tie(a.distance, a.row, a.column) < std::tie(b.distance, b.row, b.column);
  };
  if (count < all.size()) {
    std::nth_element(all.begin(), all.begin() + static_cast<long>(count), all.end(), before);
    all.resize(count);
  }
  std::sort(all.begin(), all.end(), before);
}

}  // namespace

PointField::PointField(PointTable table, Placing placing, Likeness likeness, Correction correction)
    : table_(std::move(table)),
      placing_(std::move(placing)),
      likeness_(std::move(likeness)),
      correction_(std::move(correction)),
      corrections_(std::make_shared<std::vector<std::atomic<float>>>(table_.rows.size() *
                                                                     table_.columns.size())) {
  for (std::atomic<float>& c : *corrections_) c = std::numeric_limits<float>::quiet_NaN();
  const size_t last = table_.keys->count;
  std::array<int64_t, 5> sizes;
  sizes.fill(1);
  const Place origin = placing_(sizes);
  for (const PointTable::Row& row : table_.rows) {
    std::copy_n(row.sizes.begin(), last, sizes.begin());
    rows_.push_back(summed_of(placing_(sizes)));
  }
  sizes.fill(1);
  for (const int64_t column : table_.columns) {
    sizes[last] = column;
    columns_.push_back(summed_of(placing_(sizes)));
  }
  for (size_t i = 0; i < summed; ++i) {
    const bool by_column = std::any_of(columns_.begin(), columns_.end(),
                                       [&](const Place& c) { return c[i] != origin[i]; });
    (by_column ? column_nearness_ : row_nearness_)[i] = likeness_.nearness[i];
    std::tie(least_[i], greatest_[i]) = range(by_column ? columns_ : rows_, i);
  }
}

bool PointField::covers(const std::array<int64_t, 5>& sizes) const {
  constexpr double slack = 1e-9;
  const Place place = placing_(sizes);
  for (size_t i = 0; i < summed; ++i)
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

double PointField::correction_of(const Near& near, const Sample& sample) const {
  std::atomic<float>& known = (*corrections_)[near.row * columns_.size() + near.column];
  float correction = known.load(std::memory_order_relaxed);
  if (std::isnan(correction)) {
    correction = static_cast<float>(correction_(sample));
    known.store(correction, std::memory_order_relaxed);
  }
  return static_cast<double>(correction);
}

std::vector<PointField::Near> PointField::candidates(const Place& at) const {
  std::vector<Near> rows, columns, found;
  for (uint32_t row = 0; row < rows_.size(); ++row) {
    const double d = distance(row_nearness_, at, rows_[row]);
    if (d < reach) rows.push_back({d, row, 0});
  }
  keep_nearest(rows, most_rows);
  for (uint32_t column = 0; column < columns_.size(); ++column)
    columns.push_back({distance(column_nearness_, at, columns_[column]), 0, column});
  keep_nearest(columns, columns.size());
  for (const Near& row : rows) {
    const std::vector<float>& seconds = table_.rows[row.row].seconds;
    size_t here = 0;
    for (const Near& column : columns) {
      const double d = row.distance + column.distance;
      if (d >= reach || here == columns_a_row) break;
      if (std::isnan(seconds[column.column])) continue;
      found.push_back({d, row.row, column.column});
      ++here;
    }
  }
  keep_nearest(found, most_candidates);
  return found;
}

Carried PointField::carry(const std::array<int64_t, 5>& sizes) const {
  const Place at = placing_(sizes);
  struct Candidate : Near {
    Sample sample;
    Place place;
  };
  std::vector<Candidate> near;
  for (const Near& n : candidates(at)) {
    Candidate& candidate = near.emplace_back(Candidate{n, sample(n), {}});
    candidate.place = placing_(candidate.sample.sizes);
    candidate.distance = distance(likeness_.nearness, at, candidate.place);
  }
  keep_nearest(near, most_points);
  std::vector<Place> places;
  std::vector<double> known;
  for (const Candidate& point : near) {
    places.push_back(point.place);
    known.push_back(correction_of(point, point.sample));
  }
  return pipewright::carry(likeness_, at, places, known);
}

}  // namespace pipewright
