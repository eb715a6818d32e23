// How operands of products come to be in fp8 or nvfp4.
//
//   recipe       scale                                   kernels for a tensor and its transpose
//   delayed      of the tensor, by earlier ones          one, or none where a norm comes before
//   tensorwise   of the tensor, by its largest number    one that finds that, one that casts
//   blockwise    of 128 numbers, fp32                    one
//   mxfp8        of 32 numbers, a power of 2 in a byte   one
//
// Only under delayed scaling does the norm's kernel write the operand as well: the others need the
// norm's result first. Sources: Transformer Engine's DelayedScaling, Float8CurrentScaling,
// Float8BlockScaling and MXFP8BlockScaling; OCP Microscaling Formats 1.0. nvfp4 is cast as under
// delayed scaling.
// Left out: that ranks agree on largest numbers (a few bytes), the weights' cast, once an
// iteration, and that products with scales of blocks may be slower.
#include "workload/transformer/share.hpp"

namespace pipewright::transformer {

double operand_bytes(const WorkloadOptions& options) {
  const double bytes = element_bytes(options.precision);
  if (options.precision != DType::fp8) return bytes;
  if (options.scaling == Scaling::blockwise) return bytes + 4.0 / 128;
  return options.scaling == Scaling::mxfp8 ? bytes + 1.0 / 32 : bytes;
}

bool norm_casts(const Share& share) {
  return share.product != DType::fp8 || share.options.scaling == Scaling::delayed;
}

std::vector<Work> casts(const Share& share, Direction direction, double numbers) {
  if (!share.narrow()) return {};
  const double read = share.element * numbers;
  std::vector<Work> kernels;
  if (share.product == DType::fp8 && share.options.scaling == Scaling::tensorwise)
    kernels.push_back(stream(share, Kernel::elementwise, direction, read, 0));
  kernels.push_back(
      stream(share, Kernel::elementwise, direction, read, 2 * share.operand * numbers));
  return kernels;
}

}  // namespace pipewright::transformer
