// cuBLASLt, found when it is needed: the library has half a gigabyte, and a program that does not
// multiply on a GPU shall start without it.
#pragma once

#include <cublasLt.h>

namespace pipewright::kernels::cuda {

struct CublasLt {
  decltype(&cublasLtCreate) create;
  decltype(&cublasLtDestroy) destroy;
  decltype(&cublasLtGetStatusString) status_string;
  decltype(&cublasLtMatmul) matmul;
  decltype(&cublasLtMatmulDescCreate) desc_create;
  decltype(&cublasLtMatmulDescDestroy) desc_destroy;
  decltype(&cublasLtMatmulDescSetAttribute) desc_set;
  decltype(&cublasLtMatrixLayoutCreate) layout_create;
  decltype(&cublasLtMatrixLayoutDestroy) layout_destroy;
  decltype(&cublasLtMatrixLayoutSetAttribute) layout_set;
  decltype(&cublasLtMatmulPreferenceCreate) preference_create;
  decltype(&cublasLtMatmulPreferenceDestroy) preference_destroy;
  decltype(&cublasLtMatmulPreferenceSetAttribute) preference_set;
  decltype(&cublasLtMatmulAlgoGetHeuristic) heuristic;

  /// Loads the library; it stays for the rest of the program. Throws Failure when it is not there.
  CublasLt();
  void check(cublasStatus_t status, const char* what) const;
  /// Prints one line on stderr, where nothing may be thrown because something is given back.
  void check_closed(cublasStatus_t status, const char* what) const noexcept;
};

}  // namespace pipewright::kernels::cuda
