// What brings tensors over a grid from where they are made to where they are used, and their
// gradients back (workload/signatures.hpp).
#pragma once

#include "workload/operation.hpp"
#include "workload/signatures.hpp"

namespace pipewright::transformer {

class Boxes {
 public:
  /// `bytes_of_feature`: of one number of every token, on all devices together.
  Boxes(const TensorGrid& grid, double bytes_of_feature)
      : grid_(grid), bytes_of_feature_(bytes_of_feature) {}

  /// Where a tensor and its gradient are made and used.
  struct Way {
    Spreads made, used, gradient_made, gradient_used;
  };
  /// Brings a tensor that is `width` wide; what arrives is kept.
  Operation boxed(const Way& way, int64_t width, Part part) const;
  /// From where it lies `from` to the input of a product.
  Operation into(const Signatures& product, const Spreads& from, int64_t width, Part part) const;
  /// What a product makes goes into a sum that lies `to`, and need not be kept.
  Operation out_of(const Signatures& product, const Spreads& to, int64_t width, Part part) const;

 private:
  const TensorGrid& grid_;
  double bytes_of_feature_;
};

}  // namespace pipewright::transformer
