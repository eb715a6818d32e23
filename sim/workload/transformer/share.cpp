#include "workload/transformer/share.hpp"

#include <fmt/format.h>

namespace pipewright::transformer {
namespace {

void need_divides(int64_t degree, const char* degree_name, int64_t size, const char* size_name,
                  const config::Value& where) {
  if (size % degree == 0) return;
  where.misfit(fmt::format("{} {} must divide {} {}", degree_name, degree, size_name, size));
}

void check_tensor(const TransformerShape& shape, const WorkloadOptions& options,
                  const config::Value& where) {
  const int64_t t = options.tensor;
  need_divides(t, "tensor", shape.heads, "heads", where);
  if (shape.kv_heads % t != 0 && t % shape.kv_heads != 0) {
    where.misfit(
        fmt::format("tensor {} must divide kv_heads {} or be a multiple of it", t, shape.kv_heads));
  }
  need_divides(t, "tensor", shape.ffn, "ffn", where);
  if (!shape.experts) return;
  if (options.expert == 1) need_divides(t, "tensor", shape.experts->ffn, "experts.ffn", where);
  need_divides(t, "tensor", shape.experts->ffn * shape.experts->shared, "shared experts' ffn",
               where);
}

void check_experts(const TransformerShape& shape, const WorkloadOptions& options,
                   const config::Value& where) {
  if (options.expert == 1) return;
  if (!shape.experts)
    where.misfit(fmt::format("expert {} needs a model with experts", options.expert));
  need_divides(options.expert, "expert", shape.experts->count, "experts.count", where);
}

void check_tokens(const TransformerShape& shape, const WorkloadOptions& options,
                  const config::Value& where) {
  need_divides(options.context, "context", options.sequence, "sequence", where);
  if (options.context > 1 && options.exchange == ContextExchange::ulysses) {
    need_divides(options.tensor * options.context, "tensor x context", shape.heads, "heads", where);
  } else if (options.context > 1 && options.zigzag) {
    need_divides(2 * options.context, "2 x context", options.sequence, "sequence", where);
  }
  const int64_t tokens = options.micro_batch * (options.sequence / options.context);
  const bool routed = shape.experts && options.expert > 1;
  if ((options.sequence_parallel && options.tensor_grid.is_line()) || routed)
    need_divides(options.tensor, "tensor", tokens, "the tokens of a device", where);
}

}  // namespace

Share Share::wide() const {
  Share wide = *this;
  wide.product = dtype;
  wide.operand = element;
  return wide;
}

double Share::bytes(int64_t width) const {
  return static_cast<double>(tokens) * static_cast<double>(width) * element;
}

double Share::outer_bytes(int64_t width) const {
  return static_cast<double>(outer_tokens) * static_cast<double>(width) /
         static_cast<double>(outer_parts) * element;
}

Share make_share(const TransformerShape& shape, const WorkloadOptions& options,
                 const config::Value& where) {
  check_tensor(shape, options, where);
  check_experts(shape, options, where);
  check_tokens(shape, options, where);
  const DType dtype = activation_dtype(options.precision);
  const bool is_line = options.tensor_grid.is_line();
  const int64_t tokens = options.micro_batch * (options.sequence / options.context);
  return {.shape = shape,
          .options = options,
          .product = options.precision,
          .dtype = dtype,
          .element = element_bytes(dtype),
          .operand = operand_bytes(options),
          .tokens = tokens,
          .outer_tokens = options.sequence_parallel && is_line ? tokens / options.tensor : tokens,
          .outer_parts = is_line ? 1 : options.tensor,
          .all_tokens = static_cast<double>(options.micro_batch) *
                        static_cast<double>(options.tensor_grid.token_parts()) *
                        static_cast<double>(options.sequence)};
}

}  // namespace pipewright::transformer
