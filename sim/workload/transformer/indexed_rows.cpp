// transformers moves rows by PyTorch's operators where a device has all experts (since its version
// 5, integrations/moe.py, grouped_mm_experts_forward). Bytes for each number of a row, e each:
//   forward   gathered (2 e); masked in place 2 e; behind the experts multiplied by the router's
//             weight 2 e, masked 2 e, gathered 2 e, summed (e)
//   backward  the sum's gradient copied for all (2 e), zeros e, added to them by sorted index 3 e;
//             masked in a copy 4 e; times the weight 2 e, times the result 3 e and summed e; masked
//             in a copy 4 e; zeros and sums by sorted index for the tokens (2 e)
// Masks and weights are a number for a row, so that such passes have no vector loads. What is in
// brackets is the permutation that all have. Results are kept for the weights' gradient.
// Source: also PyTorch, aten/src/ATen/native/cuda/Indexing.cu (index_put_with_sort_kernel),
// tools/autograd/derivatives.yaml (index, masked_fill). Left out: the sorting of indices.
#include <array>

#include "workload/transformer/routed.hpp"

namespace pipewright::transformer {
namespace {

/// Adds passes over rows that read and write `read` and `written` bytes of each number, of which
/// `singles` passes have no vector loads.
Work over_rows(const Share& share, Direction direction, double numbers, std::array<double, 3> by) {
  Work work = stream(share, Kernel::elementwise, direction, by[0] * numbers, by[1] * numbers);
  work.singles = by[2] * numbers;
  return work;
}

}  // namespace

double indexed_numbers(const Share& share, const Routed& r) {
  const bool indexes = share.options.indexes_rows && !exchanges(share);
  return indexes ? r.copies * as_double(row_width(share)) : 0;
}

void add_masked_rows(const Share& share, double numbers, Operation& operation) {
  const double e = share.element;
  operation.forward.push_back(over_rows(share, Direction::forward, numbers, {e, e, 1}));
  operation.input_gradient.insert(
      operation.input_gradient.begin(),
      over_rows(share, Direction::input_gradient, numbers, {2 * e, 2 * e, 1}));
}

void add_weighted_rows(const Share& share, double numbers, Operation& operation) {
  const double e = share.element;
  operation.forward.insert(operation.forward.begin(),
                           over_rows(share, Direction::forward, numbers, {3 * e, 3 * e, 2}));
  // Zeros, sums by index, a masked copy, and two products, one summed up.
  operation.input_gradient.push_back(
      over_rows(share, Direction::input_gradient, numbers, {8 * e, 6 * e, 2}));
}

}  // namespace pipewright::transformer
