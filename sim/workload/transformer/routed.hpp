// The routed part of a block of experts on one device, and how tokens get there and back.
#pragma once

#include "base/units.hpp"
#include "workload/transformer/share.hpp"

namespace pipewright::transformer {

struct Routed {
  int64_t experts;  ///< on this device
  int64_t ffn;      ///< of one expert, on this device
  int64_t tokens;   ///< routed by this device
  double sent;      ///< rows it sends, copies of its tokens
  double got;       ///< rows that come to it
  double copies;    ///< rows its experts work on

  int64_t copies_of_one() const {
    return static_cast<int64_t>(copies + as_double(experts) - 1) / experts;
  }
};

const Experts& experts_of(const Share& share);
/// Returns the numbers of a row that experts work on.
int64_t row_width(const Share& share);
/// Tells whether experts are spread over devices.
bool exchanges(const Share& share);
/// Returns the bytes of a mark for each token and expert: who is chosen.
double map_bytes(const Share& share, const Routed& r);
/// Adds `count` kernels that read `read` bytes and write a number for each expert.
void add_small(const Share& share, std::vector<Work>& kernels, Direction direction, int count,
               double read);

/// Returns the numbers of all rows where PyTorch's operators move them, one after the other, on a
/// device that has all experts; else 0. In indexed_rows.cpp.
double indexed_numbers(const Share& share, const Routed& r);
/// Adds to what gathers the rows that they are masked as they come, and how their gradient is.
void add_masked_rows(const Share& share, double numbers, Operation& operation);
/// Adds to what sums the results up that they are multiplied by the router's weights, masked and
/// put in order before.
void add_weighted_rows(const Share& share, double numbers, Operation& operation);

/// Returns what brings the rows to their experts, and what brings their results back. The gradients
/// go the other way.
Operations to_experts(const Share& share, const Routed& r);
Operations from_experts(const Share& share, const Routed& r);

}  // namespace pipewright::transformer
