#include "plan/amax.hpp"

namespace pipewright {
namespace {

/// Groups of products are as many as they have weights.
int64_t products_of(const Segments& forward) {
  int64_t products = 0;
  for (const Segment& segment : forward)
    for (const Work& work : segment.kernels)
      if (work.kernel == Kernel::gemm && work.dtype == DType::fp8) products += work.shape[0];
  return products;
}

void agree(Axis over, Direction direction, Bytes numbers, Segments& pass) {
  if (pass.empty()) return;
  const Work kernel{.kernel = Kernel::elementwise,
                    .dtype = DType::fp32,
                    .direction = direction,
                    .read = numbers,
                    .written = numbers};
  const int part = pass.back().part;
  pass.push_back({.kernels = {kernel},
                  .collective = {{CollectiveKind::all_reduce, over, numbers}},
                  .part = part,
                  .joins = true});
  pass.push_back({.kernels = {kernel}, .part = part});
}

}  // namespace

void agree_on_amaxes(Axis over, StageWork& stage) {
  const int64_t products = products_of(stage.forward);
  if (products == 0) return;
  agree(over, Direction::forward, Bytes{4 * 3 * products}, stage.forward);
  for (Segments* pass : {&stage.backward, &stage.input_gradient, &stage.last_backward})
    agree(over, Direction::input_gradient, Bytes{4 * 2 * products}, *pass);
}

}  // namespace pipewright
