// A correction known at measured shapes, carried to others by kriging over the nearest of them.
#pragma once

#include <functional>

#include "cost/points.hpp"

namespace pipewright {

/// A shape as a place: the distance between two is the sum of the coordinates' differences.
using Place = std::array<double, 5>;
/// Places by PointKeys: the sizes of a row, the column's last.
using Placing = Place (*)(const std::array<int64_t, 5>& sizes);

struct Carried {
  double value = 0;    ///< 0 far from all points
  double unknown = 1;  ///< share of the variance that the points leave open: 0 at one, 1 far away
};

class PointField {
 public:
  PointField(PointTable table, Placing placing);

  /// The correction at `sizes`, from `correction` of the points around it.
  Carried carry(const std::array<int64_t, 5>& sizes,
                const std::function<double(const Sample&)>& correction) const;
  /// Whether every coordinate lies between the least and the greatest of the points.
  bool covers(const std::array<int64_t, 5>& sizes) const;
  const PointTable& table() const { return table_; }

 private:
  struct Near {
    double distance;
    uint32_t row, column;
  };
  std::vector<Near> nearest(const Place& at) const;
  Sample sample(const Near& near) const;
  void add_columns(const Place& at, uint32_t row, std::vector<Near>& found) const;

  PointTable table_;
  Placing placing_;
  std::vector<Place> rows_, columns_;  // with the other half of the coordinates zero
  std::array<bool, 5> of_column_{};    // which coordinates the column decides
  Place least_{}, greatest_{};
};

}  // namespace pipewright
