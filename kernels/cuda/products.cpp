#include "kernels/cuda/products.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "kernels/cuda/check.hpp"

namespace pipewright::kernels::cuda {
namespace {

cudaDataType_t type_of(Storage storage) {
  return storage == Storage::bf16 ? CUDA_R_16BF : CUDA_R_32F;
}

cublasComputeType_t compute_of(const Product& p) {
  if (p.storage == Storage::bf16 || p.multiply == Multiply::fp32) return CUBLAS_COMPUTE_32F;
  return p.multiply == Multiply::tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F_FAST_16BF;
}

/// A layout of cuBLASLt, column by column.
class Layout {
 public:
  Layout(const CublasLt& lt, Storage storage, int64_t rows, int64_t columns, int64_t stride)
      : lt_(lt) {
    lt.check(lt.layout_create(&layout_, type_of(storage), static_cast<uint64_t>(rows),
                              static_cast<uint64_t>(columns), stride),
             "a matrix layout");
  }
  ~Layout() { lt_.layout_destroy(layout_); }
  Layout(const Layout&) = delete;
  cublasLtMatrixLayout_t get() const { return layout_; }

 private:
  const CublasLt& lt_;
  cublasLtMatrixLayout_t layout_ = nullptr;
};

}  // namespace

struct Products::Plan {
  const CublasLt& lt;
  Layout first, second, result;
  cublasLtMatmulDesc_t description = nullptr;
  cublasLtMatmulAlgo_t algorithm{};

  Plan(const CublasLt& library, cublasLtHandle_t handle, const Product& p)
      : lt(library),
        // Row by row [r, c] is column by column c x r.
        first(lt, p.storage, p.b_transposed ? p.k : p.n, p.b_transposed ? p.n : p.k, p.b_stride),
        second(lt, p.storage, p.a_transposed ? p.m : p.k, p.a_transposed ? p.k : p.m, p.a_stride),
        result(lt, p.storage, p.n, p.m, p.c_stride) {
    lt.check(lt.desc_create(&description, compute_of(p), CUDA_R_32F), "a product");
    set(CUBLASLT_MATMUL_DESC_TRANSA, p.b_transposed ? CUBLAS_OP_T : CUBLAS_OP_N);
    set(CUBLASLT_MATMUL_DESC_TRANSB, p.a_transposed ? CUBLAS_OP_T : CUBLAS_OP_N);
    if (p.processors > 0) set(CUBLASLT_MATMUL_DESC_SM_COUNT_TARGET, int32_t{p.processors});
    choose(handle, p.alignment);
  }
  ~Plan() { lt.desc_destroy(description); }
  Plan(const Plan&) = delete;

 private:
  template <class T>
  void set(cublasLtMatmulDescAttributes_t attribute, T value) {
    lt.check(lt.desc_set(description, attribute, &value, sizeof value), "a product's attribute");
  }

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
    lt.preference_destroy(preference);
    lt.check(status, "choosing an algorithm");
    if (count == 0) throw Failure("cuBLASLt: no algorithm for a product");
    algorithm = found.algo;
  }
};

Products::Products() { lt_.check(lt_.create(&handle_), "starting"); }

Products::~Products() = default;  // its handle goes with the process, as the library does

const Products::Plan& Products::plan(const Product& product) {
  std::unique_ptr<Plan>& plan = plans_[product];
  if (!plan) plan = std::make_unique<Plan>(lt_, handle_, product);
  return *plan;
}

void Products::run(cudaStream_t stream, Product product, const void* a, const void* b, void* c,
                   void* workspace) {
  // The largest power of two, up to 256, that divides all addresses.
  const uintptr_t bits = reinterpret_cast<uintptr_t>(a) | reinterpret_cast<uintptr_t>(b) |
                         reinterpret_cast<uintptr_t>(c) | 256;
  product.alignment = static_cast<uint32_t>(bits & -bits);
  const Plan& p = plan(product);
  const float one = 1, on_top = product.accumulate ? 1 : 0;
  lt_.check(lt_.matmul(handle_, p.description, &one, b, p.first.get(), a, p.second.get(), &on_top,
                       c, p.result.get(), c, p.result.get(), &p.algorithm, workspace,
                       workspace_bytes, stream),
            "a product");
}

}  // namespace pipewright::kernels::cuda
