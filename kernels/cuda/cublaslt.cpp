#include "kernels/cuda/cublaslt.hpp"

#include <dlfcn.h>

#include <string>

#include "base/error.hpp"

namespace pipewright::kernels::cuda {
namespace {

#define PIPEWRIGHT_TEXT_OF(x) #x
#define PIPEWRIGHT_TEXT(x) PIPEWRIGHT_TEXT_OF(x)
constexpr const char* library = "libcublasLt.so." PIPEWRIGHT_TEXT(CUBLAS_VER_MAJOR);

/// Where the system looks, beside the program ($ORIGIN/lib), then where the toolkit is installed.
void* open_library() {
  for (const std::string folder : {"", "/usr/local/cuda/lib64/"})
    if (void* handle = dlopen((folder + library).c_str(), RTLD_NOW | RTLD_LOCAL)) return handle;
  throw Failure(std::string("CUDA: ") + library +
                " is not there: install cuBLAS or name its folder in LD_LIBRARY_PATH");
}

template <class F>
void find(void* handle, const char* name, F& function) {
  function = reinterpret_cast<F>(dlsym(handle, name));
  if (!function) throw Failure(std::string("CUDA: ") + library + " has no " + name);
}

}  // namespace

CublasLt::CublasLt() {
  void* handle = open_library();
  find(handle, "cublasLtCreate", create);
  find(handle, "cublasLtGetStatusString", status_string);
  find(handle, "cublasLtMatmul", matmul);
  find(handle, "cublasLtMatmulDescCreate", desc_create);
  find(handle, "cublasLtMatmulDescDestroy", desc_destroy);
  find(handle, "cublasLtMatmulDescSetAttribute", desc_set);
  find(handle, "cublasLtMatrixLayoutCreate", layout_create);
  find(handle, "cublasLtMatrixLayoutDestroy", layout_destroy);
  find(handle, "cublasLtMatmulPreferenceCreate", preference_create);
  find(handle, "cublasLtMatmulPreferenceDestroy", preference_destroy);
  find(handle, "cublasLtMatmulPreferenceSetAttribute", preference_set);
  find(handle, "cublasLtMatmulAlgoGetHeuristic", heuristic);
}

void CublasLt::check(cublasStatus_t status, const char* what) const {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw Failure(std::string("cuBLASLt: ") + what + ": " + status_string(status));
}

}  // namespace pipewright::kernels::cuda
