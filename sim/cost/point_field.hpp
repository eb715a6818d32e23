// Corrections known at measured shapes, and the shapes around another one.
#pragma once

#include <atomic>
#include <functional>
#include <memory>

#include "base/memo.hpp"
#include "cost/kriging.hpp"
#include "cost/points.hpp"

namespace pipewright {

/// Places by PointKeys: the sizes of a row, the column's last. Each of the first five coordinates
/// is decided by the row alone or by the column alone.
using Placing = std::function<Place(const std::array<int64_t, 5>& sizes)>;
/// The correction of a measured point: a pure function.
using Correction = std::function<double(const Sample&)>;

struct SizesHash {
  size_t operator()(const std::array<int64_t, 5>& sizes) const;
};

class PointField {
 public:
  PointField(PointTable table, Placing placing, Likeness likeness, Correction correction);

  /// The correction at `sizes`, from those of the points around it. Worked out once: passes and
  /// slices of the same shape have different FLOPs and one correction.
  Carried carry(const std::array<int64_t, 5>& sizes) const;
  /// Tells whether every summed coordinate lies between the least and the greatest of the points.
  bool covers(const std::array<int64_t, 5>& sizes) const;
  const PointTable& table() const { return table_; }

 private:
  struct Near {
    float distance;
    uint32_t row, column;
  };
  Carried carry_anew(const std::array<int64_t, 5>& sizes) const;
  /// Points around `at` by the summed coordinates, in no order.
  std::vector<Near> candidates(const Place& at) const;
  Sample sample(const Near& near) const;
  float correction_of(const Near& near) const;

  PointTable table_;
  Placing placing_;
  Likeness likeness_;
  Correction correction_;
  Place row_nearness_{}, column_nearness_{};  // of the coordinates that each decides
  std::vector<Place> rows_, columns_;         // theirs; what the other decides stands as for size 1
  Place least_{}, greatest_{};
  /// The corrections by row and column, NaN until asked for: working out all would take longer than
  /// reading the profile. Threads that ask at once work out the same.
  std::shared_ptr<std::vector<std::atomic<float>>> corrections_;
  std::shared_ptr<Memo<std::array<int64_t, 5>, Carried, SizesHash>> carried_;
};

}  // namespace pipewright
