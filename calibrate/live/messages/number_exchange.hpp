// Real numbers of a rank for others, whatever carries them: packets of bytes (real_payloads.hpp) or
// the links of devices (device_numbers.hpp).
#pragma once

#include <vector>

#include "calibrate/train/layers/exchange.hpp"
#include "program/program.hpp"

namespace pipewright::live {

/// The size of a message; none where its contents stay behind.
struct Extent {
  int64_t rows = 0, columns = 0;
};

/// The numbers that a rank brings to its messages and collectives, and takes from them.
class NumberExchange {
 public:
  virtual ~NumberExchange() = default;
  /// Returns the message; null where its contents stay behind.
  virtual kernels::Array message(OpId transfer) = 0;
  virtual void deliver(OpId transfer, kernels::Array message) = 0;
  /// Returns the extent of a message that has not come yet, for those who have to know before.
  virtual Extent extent(OpId transfer) const = 0;
  virtual std::vector<train::Moving> bring(OpId collective) = 0;
  virtual void take(OpId collective, std::vector<kernels::Array> arrays) = 0;
};

}  // namespace pipewright::live
