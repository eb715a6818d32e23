// Matrix products by cuBLASLt. Its matrices stand column by column, ours row by row: what it calls
// the product of B^T and A^T is our A B.
#pragma once

#include <compare>
#include <map>
#include <memory>

#include "kernels/cuda.hpp"
#include "kernels/cuda/cublaslt.hpp"

namespace pipewright::kernels::cuda {

enum class Storage { fp32, bf16, e4m3, e5m2 };

constexpr bool is_fp8(Storage storage) {
  return storage == Storage::e4m3 || storage == Storage::e5m2;
}

/// Elements from one row to the next.
struct Strides {
  int64_t a = 0, b = 0, c = 0;

  auto operator<=>(const Strides&) const = default;
};

/// c [m, n] = a [m, k] b [k, n], each of a and b as it stands or transposed. Rows stand `stride`
/// elements apart, the matrices of a batch one below the other.
struct Product {
  Storage a = Storage::fp32, b = Storage::fp32, c = Storage::fp32;
  Multiply multiply = Multiply::fp32;
  bool a_transposed = false, b_transposed = false, accumulate = false;
  int64_t m = 0, n = 0, k = 0;
  Strides stride;
  int64_t batch = 1;
  bool fast_sums = false;  ///< of 8-bit factors: in fewer bits than fp32 has
  int processors = 0;      ///< that work on it; 0: all
  uint32_t alignment = 0;  ///< of all addresses, in bytes; run() sets it

  auto operator<=>(const Product&) const = default;
};

/// The operands and the result of a product. Scales are those of 8-bit factors.
struct Operands {
  const void *a = nullptr, *b = nullptr;
  void* c = nullptr;
  const float *a_scale = nullptr, *b_scale = nullptr;
};

class Products {
 public:
  Products();
  ~Products();
  Products(const Products&) = delete;

  /// `workspace` is used by one product of the stream at a time.
  void run(cudaStream_t stream, Product product, const Operands& operands, void* workspace);
  static constexpr size_t workspace_bytes = size_t{32} << 20;  // what cuBLAS takes on Hopper

 private:
  struct Plan;
  const Plan& plan(const Product& product, const Operands& on);
  CublasLt lt_;
  cublasLtHandle_t handle_ = nullptr;
  std::map<Product, std::unique_ptr<Plan>> plans_;
};

}  // namespace pipewright::kernels::cuda
