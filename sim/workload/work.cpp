#include "workload/work.hpp"

namespace pipewright {

std::string_view name_of(Kernel kernel) {
  constexpr std::string_view names[] = {"fixed",       "gemm",      "attention",     "norm",
                                        "elementwise", "embedding", "cross_entropy", "optimizer",
                                        "memcpy",      "permute",   "fused_loss"};
  return names[static_cast<size_t>(kernel)];
}

}  // namespace pipewright
