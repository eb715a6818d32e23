// Corrections known at measured shapes, and the shapes around another one.
#pragma once

#include <functional>

#include "cost/kriging.hpp"
#include "cost/points.hpp"

namespace pipewright {

/// Places by PointKeys: the sizes of a row, the column's last. The first five coordinates are sums
/// of what the row and what the column give.
using Placing = std::function<Place(const std::array<int64_t, 5>& sizes)>;

class PointField {
 public:
  PointField(PointTable table, Placing placing, Likeness likeness);

  /// The correction at `sizes`, from `correction` of the points around it.
  Carried carry(const std::array<int64_t, 5>& sizes,
                const std::function<double(const Sample&)>& correction) const;
  /// Whether every summed coordinate lies between the least and the greatest of the points.
  bool covers(const std::array<int64_t, 5>& sizes) const;
  const PointTable& table() const { return table_; }

 private:
  struct Near {
    double distance;
    uint32_t row, column;
  };
  std::vector<Near> candidates(const Place& at) const;
  Sample sample(const Near& near) const;
  void add_columns(const Place& at, uint32_t row, std::vector<Near>& found) const;

  PointTable table_;
  Placing placing_;
  Likeness likeness_;
  Place row_nearness_;                 // of the coordinates that the column does not decide
  std::vector<Place> rows_, columns_;  // summed coordinates, with the other's part zero
  Place least_{}, greatest_{};
};

}  // namespace pipewright
