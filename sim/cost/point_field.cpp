// Neighbours are looked for in two steps, so that a lookup need not place all points: by the
// coordinates that the row or the column decides, whose distances add up, then among the nearest of
// those by how alike their corrections are.
#include "cost/point_field.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>

namespace pipewright {
namespace {

constexpr size_t most_candidates = 160, most_rows = 64, columns_a_row = 16;
constexpr size_t summed = 5;
constexpr float reach = 6;

Place summed_of(Place place) {
  std::fill(place.begin() + summed, place.end(), 0);
  return place;
}

std::pair<float, float> range(const std::vector<Place>& places, size_t coordinate) {
  std::pair<float, float> range{std::numeric_limits<float>::infinity(),
                                -std::numeric_limits<float>::infinity()};
  for (const Place& place : places)
    range = {std::min(range.first, place[coordinate]), std::max(range.second, place[coordinate])};
  return range;
}

float summed_distance(const Place& scale, const Place& a, const Place& b) {
  float sum = 0;
  for (size_t i = 0; i < summed; ++i) sum += scale[i] * std::abs(a[i] - b[i]);
  return sum;
}

/// Orders points by distance, equally near ones by row and column. An object, so that the
/// comparison is compiled in.
constexpr auto nearer = [](const auto& a, const auto& b) {
  if (a.distance != b.distance) return a.distance < b.distance;
  return std::tie(a.row, a.column) < std::tie(b.row, b.column);
};

/// The first `count` by `before`, in no order.
template <class T, class Before>
void keep_first(std::vector<T>& all, size_t count, const Before& before) {
  if (all.size() <= count) return;
  std::nth_element(all.begin(), all.begin() + static_cast<long>(count), all.end(), before);
  all.resize(count);
}

/// Returns which of `alike` are greatest, in order; the first of equal ones.
std::vector<uint32_t> greatest(const std::vector<float>& alike, size_t count) {
  std::vector<uint32_t> which(alike.size());
  std::iota(which.begin(), which.end(), 0);
  const auto before = [&](uint32_t a, uint32_t b) {
    return alike[a] != alike[b] ? alike[a] > alike[b] : a < b;
  };
  keep_first(which, count, before);
  std::sort(which.begin(), which.end(), before);
  return which;
}

}  // namespace

size_t SizesHash::operator()(const std::array<int64_t, 5>& sizes) const {
  uint64_t state = 0;
  for (const int64_t size : sizes) {
    state = (state ^ static_cast<uint64_t>(size)) * 0x9e3779b97f4a7c15;
    state ^= state >> 32;
  }
  return static_cast<size_t>(state);
}

PointField::PointField(PointTable table, Placing placing, Likeness likeness, Correction correction)
    : table_(std::move(table)),
      placing_(std::move(placing)),
      likeness_(std::move(likeness)),
      correction_(std::move(correction)),
      corrections_(std::make_shared<std::vector<std::atomic<float>>>(table_.rows.size() *
                                                                     table_.columns.size())),
      carried_(std::make_shared<Memo<std::array<int64_t, 5>, Carried, SizesHash>>()) {
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
  constexpr float slack = 1e-5F;
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

float PointField::correction_of(const Near& near) const {
  std::atomic<float>& known = (*corrections_)[near.row * columns_.size() + near.column];
  float correction = known.load(std::memory_order_relaxed);
  if (std::isnan(correction)) {
    correction = static_cast<float>(correction_(sample(near)));
    known.store(correction, std::memory_order_relaxed);
  }
  return correction;
}

std::vector<PointField::Near> PointField::candidates(const Place& at) const {
  std::vector<Near> rows, columns, found;
  rows.reserve(rows_.size());
  found.reserve(most_rows * columns_a_row);
  for (uint32_t row = 0; row < rows_.size(); ++row) {
    const float d = summed_distance(row_nearness_, at, rows_[row]);
    if (d < reach) rows.push_back({d, row, 0});
  }
  keep_first(rows, most_rows, nearer);
  for (uint32_t column = 0; column < columns_.size(); ++column)
    columns.push_back({summed_distance(column_nearness_, at, columns_[column]), 0, column});
  std::sort(columns.begin(), columns.end(), nearer);
  for (const Near& row : rows) {
    const std::vector<float>& seconds = table_.rows[row.row].seconds;
    size_t here = 0;
    for (const Near& column : columns) {
      const float d = row.distance + column.distance;
      if (d >= reach || here == columns_a_row) break;
      if (std::isnan(seconds[column.column])) continue;
      found.push_back({d, row.row, column.column});
      ++here;
    }
  }
  keep_first(found, most_candidates, nearer);
  return found;
}

Carried PointField::carry(const std::array<int64_t, 5>& sizes) const {
  return carried_->of(sizes, [&] { return carry_anew(sizes); });
}

Carried PointField::carry_anew(const std::array<int64_t, 5>& sizes) const {
  const Place at = placing_(sizes);
  const std::vector<Near> near = candidates(at);
  std::vector<Place> around, places;
  around.reserve(near.size());
  for (const Near& point : near) around.push_back(placing_(sample(point).sizes));
  std::vector<float> known;
  for (const uint32_t i : greatest(covariances(likeness_, at, around), likeness_.neighbours)) {
    places.push_back(around[i]);
    known.push_back(correction_of(near[i]));
  }
  return pipewright::carry(likeness_, at, places, known);
}

}  // namespace pipewright
