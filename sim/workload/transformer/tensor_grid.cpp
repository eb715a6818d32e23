// The share of one device of a square or cube: tokens cut by sequences, the width by heads.
#include "workload/transformer/tensor_grid.hpp"

#include <fmt/format.h>

namespace pipewright::transformer {
namespace {

void need_divides(int64_t parts, int64_t size, const char* what, const config::Value& where) {
  if (size % parts == 0) return;
  where.misfit(
      fmt::format("this tensor_kind cuts {} {} in {}: it must be a multiple", what, size, parts));
}

void refuse_on_grid(bool has, std::string_view what, const config::Value& where) {
  if (has) where.misfit(fmt::format("tensor_kind 2d, 2.5d and 3d cannot be had with {}", what));
}

}  // namespace

WorkloadOptions options_on_grid(const TransformerShape& shape, const WorkloadOptions& options,
                                const config::Value& where) {
  const TensorGrid& grid = options.tensor_grid;
  if (grid.is_line()) return options;
  refuse_on_grid(shape.experts.has_value(), "experts", where);
  refuse_on_grid(shape.attention.latent.has_value(), "latent attention", where);
  refuse_on_grid(!shape.rare_part().empty(), shape.rare_part(), where);
  refuse_on_grid(options.context > 1, "context parallelism", where);
  refuse_on_grid(activation_dtype(options.precision) != options.precision, "fp8 and nvfp4", where);
  const int64_t width = grid.width_parts(), tokens = grid.token_parts();
  need_divides(tokens, options.micro_batch, "batch.micro", where);
  need_divides(width, shape.attention.kv_heads, "kv_heads", where);
  need_divides(width, shape.hidden, "hidden", where);
  WorkloadOptions one = options;
  one.micro_batch /= tokens;
  one.tensor = width;
  one.sequence_parallel = true;  // what is outside a product is cut as what is inside
  return one;
}

Operation on_grid(const Share& share, const GridProduct& product) {
  return share.options.tensor_grid.kind == TensorKind::cube ? on_cube(share, product)
                                                            : on_square(share, product);
}

Axis width_axis(const Share& share, bool turned) {
  if (share.options.tensor_grid.kind != TensorKind::cube) return Axis::tensor_row;
  return turned ? Axis::tensor_column : Axis::tensor_depth;
}

}  // namespace pipewright::transformer
