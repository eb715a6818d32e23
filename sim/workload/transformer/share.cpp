#include "workload/transformer/share.hpp"

#include <fmt/format.h>

#include <numeric>

namespace pipewright::transformer {
namespace {

/// Returns the degree as the user wrote it, else what stands for all degrees.
const config::Value& place_of(std::string_view degree, const config::Value& where) {
  const config::Value* given = where.find(degree);
  return given ? *given : where;
}

void need_divides(int64_t degree, const char* degree_name, int64_t size, const char* size_name,
                  const config::Value& where) {
  if (size % degree == 0) return;
  place_of(degree_name, where)
      .misfit(fmt::format("{} {} must divide {} {}", degree_name, degree, size_name, size));
}

void check_heads(const AttentionDimensions& attention, int64_t tensor, const config::Value& where) {
  for (const bool sees_all : {false, true}) {
    const Heads heads = attention.of(sees_all);
    const bool others = sees_all && attention.full;
    need_divides(tensor, "tensor", heads.queries, others ? "attention.full.heads" : "heads", where);
    if (heads.keys % tensor == 0 || tensor % heads.keys == 0) continue;
    place_of("tensor", where)
        .misfit(fmt::format("tensor {} must divide {}kv_heads {} or be a multiple of it", tensor,
                            others ? "attention.full." : "", heads.keys));
  }
}

void check_tensor(const TransformerShape& shape, const WorkloadOptions& options,
                  const config::Value& where) {
  const int64_t t = options.tensor;
  if (shape.has_attention()) check_heads(shape.attention, t, where);
  if (const auto& output = shape.attention.output)
    need_divides(t, "tensor", output->groups, "attention.output.groups", where);
  if (const auto& s = shape.kinds.state_space) {
    need_divides(t, "tensor", s->heads, "state_space.heads", where);
    need_divides(t, "tensor", s->groups, "state_space.groups", where);
  }
  if (const auto& s = shape.kinds.selective_scan)
    need_divides(t, "tensor", s->inner, "selective_scan.inner", where);
  if (shape.kinds.has(Mixer::short_convolution))
    need_divides(t, "tensor", shape.hidden, "hidden", where);
  if (const auto& r = shape.kinds.gated_recurrence)
    need_divides(t, "tensor", r->blocks, "gated_recurrence.blocks", where);
  if (const auto& m = shape.kinds.time_mixing)
    need_divides(t, "tensor", m->heads, "time_mixing.heads", where);
  if (const auto& d = shape.kinds.gated_delta)
    need_divides(t, "tensor", d->key_heads, "gated_delta.key_heads", where);
  for (int64_t block = 0; block < shape.layers; ++block)
    if (shape.feed(block) == Feed::dense)
      need_divides(t, "tensor", shape.ffn_of(block), "ffn", where);
  if (!shape.experts) return;
  if (options.expert == 1) need_divides(t, "tensor", shape.experts->ffn, "experts.ffn", where);
  need_divides(t, "tensor", shape.experts->shared_width(), "shared experts' ffn", where);
}

/// Refuses what passes from token to token, or looks at all of them, where no device has them all.
void check_context(const TransformerShape& shape, const WorkloadOptions& options,
                   const config::Value& where) {
  if (options.context == 1) return;
  const config::Value& place = place_of("context", where);
  if (shape.kinds.passes_state())
    place.misfit(
        "context must be 1: state-space, recurrent and linear attention blocks pass a state from "
        "token to token");
  if (shape.kinds.has(Mixer::short_convolution))
    place.misfit("context must be 1: short convolutions read tokens of other devices");
  if (shape.attention.compression)
    place.misfit("context must be 1: compressed keys stand for tokens of other devices");
  if (shape.attention.indexer)
    place.misfit("context must be 1: an indexer scores all keys of a sequence");
}

void check_experts(const TransformerShape& shape, const WorkloadOptions& options,
                   const config::Value& where) {
  if (options.expert == 1) return;
  if (!shape.experts)
    place_of("expert", where)
        .misfit(fmt::format("expert {} needs a model with experts: this one has none, so that "
                            "expert must be 1",
                            options.expert));
  need_divides(options.expert, "expert", shape.experts->count, "experts.count", where);
  need_divides(options.expert_tensor, "expert_tensor", shape.experts->ffn, "experts.ffn", where);
}

/// Query heads by which those of every block divide.
int64_t query_heads(const TransformerShape& shape) {
  return std::gcd(shape.attention.heads, shape.attention.of(true).queries);
}

void check_tokens(const TransformerShape& shape, const WorkloadOptions& options,
                  const config::Value& where) {
  need_divides(options.context, "context", options.sequence, "sequence", where);
  if (options.context > 1 && options.context_split.exchange == ContextExchange::ulysses) {
    need_divides(options.tensor * options.context, "tensor x context", query_heads(shape), "heads",
                 where);
  } else if (options.context > 1 && options.context_split.zigzag) {
    need_divides(2 * options.context, "2 x context", options.sequence, "sequence", where);
  }
  if (const int64_t heads = options.context_split.heads; heads > 1) {
    need_divides(options.tensor * heads, "tensor x context.heads", query_heads(shape), "heads",
                 where);
    if (options.kernels.attention == AttentionKernel::unfused)
      where.misfit("context.heads needs flash attention: unfused attention gathers keys");
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
  wide.stored = StoredWeights::as_computed;
  return wide;
}

Share Share::promoted() const {
  Share promoted = *this;
  if (!options.autocast) return promoted;
  promoted.dtype = DType::fp32;
  promoted.element = element_bytes(DType::fp32);
  return promoted;
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
  check_context(shape, options, where);
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
                        static_cast<double>(options.sequence),
          .frozen = options.frozen.text ? Frozen::weights : Frozen::nothing,
          .stored = options.stored};
}

}  // namespace pipewright::transformer
