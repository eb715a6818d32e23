#include "kernels/cuda/products.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "kernels/cuda/check.hpp"

namespace pipewright::kernels::cuda {
namespace {

cudaDataType_t type_of(Storage storage) {
  switch (storage) {
    case Storage::bf16:
      return CUDA_R_16BF;
    case Storage::e4m3:
      return CUDA_R_8F_E4M3;
    case Storage::e5m2:
      return CUDA_R_8F_E5M2;
    default:
      return CUDA_R_32F;
  }
}

cublasComputeType_t compute_of(const Product& p) {
  if (p.a != Storage::fp32 || p.multiply == Multiply::fp32) return CUBLAS_COMPUTE_32F;
  return p.multiply == Multiply::tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F_FAST_16BF;
}

/// One of a product's matrices as it stands, row by row.
struct Stored {
  Storage storage;
  int64_t rows, columns, stride, batch;
};

/// A layout of cuBLASLt, column by column: row by row [r, c] is column by column c x r.
class Layout {
 public:
  Layout(const CublasLt& lt, const Stored& matrix) : lt_(lt) {
    lt.check(
        lt.layout_create(&layout_, type_of(matrix.storage), static_cast<uint64_t>(matrix.columns),
                         static_cast<uint64_t>(matrix.rows), matrix.stride),
        "a matrix layout");
    if (matrix.batch == 1) return;
    set(CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, static_cast<int32_t>(matrix.batch));
    set(CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, matrix.rows * matrix.stride);
  }
  ~Layout() { lt_.check_closed(lt_.layout_destroy(layout_), "giving back a matrix layout"); }
  Layout(const Layout&) = delete;
  cublasLtMatrixLayout_t get() const { return layout_; }

 private:
  template <class T>
  void set(cublasLtMatrixLayoutAttribute_t attribute, T value) {
    lt_.check(lt_.layout_set(layout_, attribute, &value, sizeof value), "a batch of matrices");
  }

  const CublasLt& lt_;
  cublasLtMatrixLayout_t layout_ = nullptr;
};

Stored a_of(const Product& p) {
  return p.a_transposed ? Stored{p.a, p.k, p.m, p.stride.a, p.batch}
                        : Stored{p.a, p.m, p.k, p.stride.a, p.batch};
}

Stored b_of(const Product& p) {
  return p.b_transposed ? Stored{p.b, p.n, p.k, p.stride.b, p.batch}
                        : Stored{p.b, p.k, p.n, p.stride.b, p.batch};
}

}  // namespace

struct Products::Plan {
  const CublasLt& lt;
  Layout first, second, result;
  cublasLtMatmulDesc_t description = nullptr;
  cublasLtMatmulAlgo_t algorithm{};

  Plan(const CublasLt& library, cublasLtHandle_t handle, const Product& p, const Operands& on)
      : lt(library),
        first(lt, b_of(p)),
        second(lt, a_of(p)),
        result(lt, {p.c, p.m, p.n, p.stride.c, p.batch}) {
    lt.check(lt.desc_create(&description, compute_of(p), CUDA_R_32F), "a product");
    set(CUBLASLT_MATMUL_DESC_TRANSA, p.b_transposed ? CUBLAS_OP_T : CUBLAS_OP_N);
    set(CUBLASLT_MATMUL_DESC_TRANSB, p.a_transposed ? CUBLAS_OP_T : CUBLAS_OP_N);
    if (p.fast_sums) set(CUBLASLT_MATMUL_DESC_FAST_ACCUM, int8_t{1});
    if (p.processors > 0) set(CUBLASLT_MATMUL_DESC_SM_COUNT_TARGET, int32_t{p.processors});
    if (is_fp8(p.a)) set_scales(on);  // not every algorithm can scale
    choose(handle, p.alignment);
  }
  ~Plan() { lt.check_closed(lt.desc_destroy(description), "giving back a product"); }
  Plan(const Plan&) = delete;

  template <class T>
  void set(cublasLtMatmulDescAttributes_t attribute, T value) const {
    lt.check(lt.desc_set(description, attribute, &value, sizeof value), "a product's attribute");
  }
  void set_scales(const Operands& on) const {
    set(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, on.b_scale);
    set(CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, on.a_scale);
  }

 private:
  void choose(cublasLtHandle_t handle, uint32_t alignment) {
    cublasLtMatmulPreference_t preference = nullptr;
    lt.check(lt.preference_create(&preference), "a preference");
    const size_t most = workspace_bytes;
    const auto prefer = [&](cublasLtMatmulPreferenceAttributes_t attribute, const auto& value) {
      return lt.preference_set(preference, attribute, &value, sizeof value);
    };
    cublasStatus_t status = prefer(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, most);
    for (const auto attribute :
         {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
          CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES})
      if (status == CUBLAS_STATUS_SUCCESS) status = prefer(attribute, alignment);
    cublasLtMatmulHeuristicResult_t found{};
    int count = 0;
    if (status == CUBLAS_STATUS_SUCCESS)
      status = lt.heuristic(handle, description, first.get(), second.get(), result.get(),
                            result.get(), preference, 1, &found, &count);
    lt.check_closed(lt.preference_destroy(preference), "giving back a preference");
    lt.check(status, "choosing an algorithm");
    if (count == 0) throw Failure("cuBLASLt: no algorithm for a product");
    algorithm = found.algo;
  }
};

Products::Products() { lt_.check(lt_.create(&handle_), "starting"); }

Products::~Products() {
  plans_.clear();
  lt_.check_closed(lt_.destroy(handle_), "ending");
}

const Products::Plan& Products::plan(const Product& product, const Operands& on) {
  std::unique_ptr<Plan>& plan = plans_[product];
  if (!plan) plan = std::make_unique<Plan>(lt_, handle_, product, on);
  return *plan;
}

void Products::run(cudaStream_t stream, Product product, const Operands& on, void* workspace) {
  // The largest power of two, up to 256, that divides all addresses.
  const uintptr_t bits = reinterpret_cast<uintptr_t>(on.a) | reinterpret_cast<uintptr_t>(on.b) |
                         reinterpret_cast<uintptr_t>(on.c) | 256;
  product.alignment = static_cast<uint32_t>(bits & -bits);
  const Plan& p = plan(product, on);
  if (is_fp8(product.a)) p.set_scales(on);
  const float one = 1, on_top = product.accumulate ? 1 : 0;
  lt_.check(lt_.matmul(handle_, p.description, &one, on.b, p.first.get(), on.a, p.second.get(),
                       &on_top, on.c, p.result.get(), on.c, p.result.get(), &p.algorithm, workspace,
                       workspace_bytes, stream),
            "a product");
}

}  // namespace pipewright::kernels::cuda
