#include "kernels/cuda/cublaslt.hpp"

#include <cstdio>
#include <string>

#include "base/error.hpp"
#include "kernels/shared_library.hpp"

namespace pipewright::kernels::cuda {
namespace {

#define PIPEWRIGHT_TEXT_OF(x) #x
#define PIPEWRIGHT_TEXT(x) PIPEWRIGHT_TEXT_OF(x)
constexpr const char* library = "libcublasLt.so." PIPEWRIGHT_TEXT(CUBLAS_VER_MAJOR);

}  // namespace

CublasLt::CublasLt() {
  const SharedLibrary shared(library, "cuBLAS");
  shared.find("cublasLtCreate", create);
  shared.find("cublasLtDestroy", destroy);
  shared.find("cublasLtGetStatusString", status_string);
  shared.find("cublasLtMatmul", matmul);
  shared.find("cublasLtMatmulDescCreate", desc_create);
  shared.find("cublasLtMatmulDescDestroy", desc_destroy);
  shared.find("cublasLtMatmulDescSetAttribute", desc_set);
  shared.find("cublasLtMatrixLayoutCreate", layout_create);
  shared.find("cublasLtMatrixLayoutDestroy", layout_destroy);
  shared.find("cublasLtMatrixLayoutSetAttribute", layout_set);
  shared.find("cublasLtMatmulPreferenceCreate", preference_create);
  shared.find("cublasLtMatmulPreferenceDestroy", preference_destroy);
  shared.find("cublasLtMatmulPreferenceSetAttribute", preference_set);
  shared.find("cublasLtMatmulAlgoGetHeuristic", heuristic);
}

void CublasLt::check(cublasStatus_t status, const char* what) const {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw Failure(std::string("cuBLASLt: ") + what + ": " + status_string(status));
}

void CublasLt::check_closed(cublasStatus_t status, const char* what) const noexcept {
  if (status != CUBLAS_STATUS_SUCCESS)
    std::fprintf(stderr, "cuBLASLt: %s: %s\n", what, status_string(status));
}

}  // namespace pipewright::kernels::cuda
