// Matrix products of one type on one device, from measured times.
#pragma once

#include <optional>

#include "cost/point_field.hpp"
#include "cost/tiles.hpp"
#include "topology/device.hpp"

namespace pipewright {

/// The physics of a device's products, fitted to measured ones.
struct GemmConstants {
  double rate = 0.8;  ///< of the device's peak
  double launch_s = 0;
  TileConstants tiles;
  /// Bytes for each number of A that a cast to a narrow type moves in the same measurement.
  double cast_bytes = 0;
};

/// Seconds that `product` takes; its rate is that of `device` at its peak and is scaled here.
double gemm_seconds(const Product& product, const GemmConstants& constants);

/// The forward product C[m,n] = A[m,k] B[k,n] as it was measured.
Product measured_product(DType dtype, const Device& device, int64_t m, int64_t n, int64_t k);

/// One time and how it is known.
struct Estimate {
  double seconds = 0;
  double unknown = 1;   ///< see Carried
  bool inside = false;  ///< within the range of the measured shapes
};

class MeasuredGemm {
 public:
  MeasuredGemm(const GemmConstants& constants, const Device& measured_on, const PointTable& points);
  DType dtype() const { return field_.table().dtype; }
  const GemmConstants& constants() const { return constants_; }
  const PointTable& points() const { return field_.table(); }

  /// Returns how much longer than gemm_seconds() products of this shape were measured to take, as a
  /// factor in `seconds`.
  Estimate factor(int64_t m, int64_t n, int64_t k) const;
  /// Tells whether the shape lies within the range of the measured ones.
  bool covers(int64_t m, int64_t n, int64_t k) const { return field_.covers({n, k, m, 1, 1}); }

 private:
  GemmConstants constants_;
  PointField field_;
};

}  // namespace pipewright
