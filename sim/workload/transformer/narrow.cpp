// Casts: how operands of products come to be in fp8 or nvfp4.
//
//   recipe       scale                                   kernels for a tensor and its transpose
//   delayed      of the tensor, by earlier ones          one, or none where a norm comes before
//   tensorwise   of the tensor, by its largest number    one that finds that, one that casts
//   blockwise    of 128 numbers, fp32                    one
//   mxfp8        of 32 numbers, a power of 2 in a byte   one
//   nvfp4        of the tensor and of 16 numbers         as tensorwise
//
// Only under delayed scaling does the norm's kernel write the operand as well: the others need the
// norm's result first. Under sequence parallelism an operand is cast before it is gathered, so that
// the narrow numbers go round, and transposed after it, by a kernel of its own (Hopper's products
// need it; Blackwell's read either layout, which is left out). There an operand that is scaled by
// its largest number is cut over the tensor group, whose ranks agree on that number first, by an
// all-reduce of 4 bytes. Under delayed scaling they agree after every pass of a stage
// (study/amax.cpp).
// Sources: Transformer Engine's DelayedScaling, Float8CurrentScaling, Float8BlockScaling,
// MXFP8BlockScaling, NVFP4BlockScaling and gather_along_first_dim; OCP Microscaling Formats 1.0.
// Weights that are stored in 8 or 4 bits and computed with in 16 are made so by a kernel before
// each product (bitsandbytes, dequantize_4bit; torchao, int8 weight-only). Left out: the weights'
// cast, once an iteration, and that products with scales of blocks may be slower.
#include "workload/transformer/share.hpp"

namespace pipewright::transformer {

double operand_bytes(const WorkloadOptions& options) {
  const double bytes = element_bytes(options.precision);
  if (options.precision != DType::fp8) return bytes;
  if (options.fp8.scaling == Scaling::blockwise) return bytes + 4.0 / 128;
  return options.fp8.scaling == Scaling::mxfp8 ? bytes + 1.0 / 32 : bytes;
}

bool norm_casts(const Share& share) {
  return !share.narrow() ||
         (share.product == DType::fp8 && share.options.fp8.scaling == Scaling::delayed);
}

namespace {

bool scales_by_largest(const Share& share) {
  return share.product == DType::nvfp4 || share.options.fp8.scaling == Scaling::tensorwise;
}

Work find_largest(const Share& share, Direction direction, double numbers) {
  return stream(share, Kernel::elementwise, direction, share.element * numbers, 4);
}

/// `copies` 2: and its transpose.
Work cast(const Share& share, Direction direction, double numbers, int copies) {
  return stream(share, Kernel::elementwise, direction, share.element * numbers,
                copies * share.operand * numbers);
}

}  // namespace

std::vector<Work> casts(const Share& share, Direction direction, double numbers) {
  if (!share.narrow()) return {};
  if (!scales_by_largest(share)) return {cast(share, direction, numbers, 2)};
  return {find_largest(share, direction, numbers), cast(share, direction, numbers, 2)};
}

std::vector<Work> widened_weights(const Share& share, Direction direction, double numbers) {
  if (share.stored != StoredWeights::int8 && share.stored != StoredWeights::nf4) return {};
  return {stream(share, Kernel::elementwise, direction,
                 numbers * stored_bytes(share.stored, share.element), numbers * share.element)};
}

double narrow_weights(const Share& share, double numbers) {
  return share.stored == StoredWeights::as_computed ? 0 : numbers;
}

std::vector<Work> transposes(const Share& share, double numbers) {
  if (!share.narrow()) return {};
  const double bytes = share.operand * numbers;
  return {stream(share, Kernel::elementwise, Direction::weight_gradient, bytes, bytes)};
}

bool gathers_operands(const Share& share) {
  return share.options.tensor > 1 && share.options.sequence_parallel &&
         share.options.tensor_grid.is_line();
}

Gathering gather_operand(const Share& share, Direction direction, int64_t width, bool is_cast) {
  const double numbers = static_cast<double>(share.outer_tokens) * static_cast<double>(width);
  const double gathered = static_cast<double>(share.tokens) * static_cast<double>(width);
  const CollectiveWork gather{CollectiveKind::all_gather, Axis::tensor,
                              whole_bytes(share.operand * gathered)};
  if (!share.narrow() || is_cast) return {.collective = gather};
  const Work narrowed = cast(share, direction, numbers, 1);
  if (!scales_by_largest(share)) return {{narrowed}, gather, {}};
  return {{find_largest(share, direction, numbers)},
          CollectiveWork{CollectiveKind::all_reduce, Axis::tensor, Bytes{4}},
          {{.kernels = {narrowed}, .collective = gather}}};
}

}  // namespace pipewright::transformer
