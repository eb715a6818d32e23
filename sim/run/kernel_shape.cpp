#include "run/kernel_shape.hpp"

#include <fmt/format.h>

#include "workload/workload_options.hpp"

namespace pipewright {

std::string shape_name(const Work& work) {
  constexpr const char* directions[] = {"", " input gradient", " weight gradient"};
  std::string shape;
  for (size_t k = work.shape[0] == 1 && work.kernel == Kernel::gemm ? 1 : 0; k < 4; ++k)
    if (work.shape[k] > 0) shape += fmt::format("{}{}", shape.empty() ? "" : "x", work.shape[k]);
  if (shape.empty()) shape = fmt::format("{} B", work.read.count + work.written.count);
  return fmt::format("{} {}{}", shape, name_of(work.dtype),
                     directions[static_cast<size_t>(work.direction)]);
}

}  // namespace pipewright
