// Matrix products to be priced, for tests.
#pragma once

#include "workload/workload_options.hpp"

namespace pipewright::test {

/// A product forward, [m, k] [k, n], whose result has 2 bytes a number.
inline Work product(DType dtype, int64_t m, int64_t n, int64_t k) {
  return {.kernel = Kernel::gemm,
          .dtype = dtype,
          .flops = 2.0 * static_cast<double>(m * n * k),
          .read = Bytes{static_cast<int64_t>(element_bytes(dtype)) * (m * k + k * n)},
          .written = Bytes{2 * m * n},
          .shape = {1, m, n, k}};
}

}  // namespace pipewright::test
