// Attention: projections, rotary embedding, the core, the output projection.
//
// A query sees P = s^2 keys in an encoder, s(s+1)/2 under a causal mask, or only the last w:
// w(w+1)/2 + (s-w)w; those of its own chunk of w, w(w+1)/2 a chunk; the w that an indexer picks, as
// the last w; of another sequence, of s', P = s s'. In an encoder a window reaches w/2 to either
// side, s w - w^2/4, and a chunk is w^2. With d numbers in a query head and e in
// a value head, a heads, b sequences:
//   flash     forward 2 b a P (d + e) FLOPs, backward 2 b a P (3d + 2e): five products, the scores
//             among them again (arXiv 2205.14135); reads q, k, v once, keeps a fp32 statistic a row
//   unfused   scores are written: unfused.cpp
// The model's own FLOPs count s keys a query (or w), as the literature does. Under context
// parallelism P is that of the busiest device; context.cpp has how keys and values get there.
// Multi-matrix factorisation attention (2412.19255) makes queries through a low rank, which is
// normed, and has one key and value for all heads. Latent attention (2405.04434) is trained with
// expanded keys and values. A sink is a number in a row's sum, a soft cap (Gemma 2, 2408.00118) a
// tanh of the scores, which flash keeps on the chip. Left out: that an indexer's keys are gathered
// for each query.
#include <cmath>

#include "base/required.hpp"
#include "base/units.hpp"
#include "workload/transformer/autocast.hpp"
#include "workload/transformer/core.hpp"
#include "workload/transformer/eager.hpp"

namespace pipewright::transformer {
namespace {

Heads heads_of(const Share& share, int64_t block) {
  return share.shape.attention.of(sees_all(share.shape.mixer(block)));
}

/// Key and value heads of one device: fewer heads than devices are copied.
int64_t device_keys(const Share& share, const Heads& heads) {
  return std::max<int64_t>(heads.keys / share.options.tensor, 1);
}

Core make_core(const Share& share, int64_t block) {
  const TransformerShape& shape = share.shape;
  const Mixer mixer = shape.mixer(block);
  const Heads heads = heads_of(share, block);
  Core core{.heads = heads.queries / share.options.tensor,
            .kv_heads = device_keys(share, heads),
            .query = heads.width,
            .value = heads.value,
            .reach = shape.reach(block, share.options.sequence),
            .chunked = mixer == Mixer::chunked,
            .rotated = shape.positions == Positions::rope &&
                       !(shape.attention.local_positions && sees_all(mixer)),
            .all_heads = heads.queries};
  if (const auto& latent = shape.attention.latent) {
    core.kv_heads = share.heads();
    core.query = latent->nope + latent->rope;
    core.value = latent->value;
  }
  core.same_values = shape.attention.values_are_keys;
  see_compressed(share, block, core);
  return core;
}

/// Query-key pairs of a sequence of s tokens under a causal mask, each of which sees the last w
/// keys, or those of its own chunk of w.
double causal_pairs(double s, double w, bool chunked) {
  if (!chunked) return w * (w + 1) / 2 + (s - w) * w;
  const double chunks = std::floor(s / w), rest = s - chunks * w;
  return chunks * w * (w + 1) / 2 + rest * (rest + 1) / 2;
}

/// The same where every token sees to both sides.
double mutual_pairs(double s, double w, bool chunked) {
  if (w == s) return s * s;
  if (!chunked) return s * w - w * w / 4;
  const double chunks = std::floor(s / w), rest = s - chunks * w;
  return chunks * w * w + rest * rest;
}

/// Query-key pairs of one sequence on one device, for each of its heads before they are exchanged.
double pairs(const Share& share, const Core& core) {
  const double s = as_double(share.options.sequence), w = as_double(core.reach);
  if (core.source > 0) return s * as_double(core.source);
  if (!share.options.context_split.zigzag && !exchanges_heads(share) && !share.shape.encoder &&
      w == s) {
    const double q = s / as_double(share.options.context);  // the last device sees all keys
    return q * (s - q) + q * (q + 1) / 2;
  }
  const double all =
      share.shape.encoder ? mutual_pairs(s, w, core.chunked) : causal_pairs(s, w, core.chunked);
  return (all + core.more_pairs(share.options.sequence)) / as_double(share.options.context);
}

Operation flash_core(const Share& share, const Core& core) {
  const WorkloadOptions& options = share.options;
  const double scale =
      2 * as_double(options.micro_batch) * as_double(core.heads) * pairs(share, core);
  const double query = share.bytes(core.query_width()), context = share.bytes(core.context_width());
  const int64_t c = options.context;
  const bool heads = exchanges_heads(share);
  const double kv = share.bytes(core.kv_width()) *
                    as_double(keys_of(share, core) + core.more_keys) / as_double(options.sequence);
  const double all_kv = kv * as_double(heads ? 1 : c);
  const double statistic = 4 * as_double(share.tokens) * as_double(core.heads);
  Work forward =
      stream(share, Kernel::attention, Direction::forward, query + all_kv, context + statistic);
  forward.flops = scale * as_double(core.query + core.value);
  forward.shape = {options.micro_batch, heads ? core.heads / c : core.heads,
                   heads ? options.sequence : options.sequence / c, core.query};
  // The gradient of the queries is summed in fp32.
  Work backward = stream(share, Kernel::attention, Direction::input_gradient,
                         query + 2 * context + all_kv + statistic, query * 4 / share.element + kv);
  backward.flops = scale * as_double(3 * core.query + 2 * core.value);
  backward.shape = forward.shape;
  Operation operation{.part = Part::attention};
  operation.forward = {forward};
  operation.input_gradient = {backward};
  operation.saved = statistic;
  operation.model_flops = core_model_flops(share, core);
  return operation;
}

/// Rotary embedding of queries and keys, in place.
Operation rotation(const Share& share, const Core& core) {
  Operation operation{.part = share.shape.attention.latent ? Part::latent : Part::other};
  if (!core.rotated) return operation;
  const double bytes = share.bytes(core.query_width() + core.kv_heads * core.query);
  const HeadNumbers numbers{share.bytes(core.query_width()) / share.element,
                            share.bytes(core.kv_width()) / share.element};
  const auto pass = [&](Direction direction) {
    const double all = bytes / share.element;
    const double more =
        eager_rotation(share, direction, all) + eager_layouts(share, direction, numbers);
    Work work = stream(share, Kernel::elementwise, direction, bytes + more, bytes);
    work.singles = eager_rotation_singles(share, direction, all);
    return work;
  };
  operation.forward = {pass(Direction::forward)};
  operation.input_gradient = {pass(Direction::input_gradient)};
  operation.saved = eager_layouts_kept(share, numbers);
  return operation;
}

Linear column(const Share& share, int64_t in, int64_t out) {
  return {.in = in, .out = out, .split = Split::column, .tokens = share.tokens};
}

/// Tells whether the projections to the heads, or the one from them, add a bias; nothing: as the
/// model's products do.
std::optional<bool> has_bias(const Share& share, bool from_heads) {
  switch (share.shape.attention.bias) {
    case AttentionBias::as_products:
      return std::nullopt;
    case AttentionBias::none:
      return false;
    case AttentionBias::inputs:
      return !from_heads;
    case AttentionBias::all:
      return true;
    case AttentionBias::output:
      return from_heads;
  }
  return std::nullopt;
}

/// Queries, keys and values in one product, and the gate where there is one.
/// `borrows`: keys and values are those of an earlier block.
Operations projections(const Share& share, const Heads& heads, bool borrows) {
  const int64_t hidden = share.shape.hidden, t = share.options.tensor;
  const int64_t of_queries = heads.width + share.shape.attention.gates(heads.value);
  const int64_t own_keys = heads.width + (heads.values_are_keys ? 0 : heads.value);
  const int64_t of_keys = borrows ? 0 : own_keys;
  const int64_t width = heads.queries * of_queries + heads.keys * of_keys;
  const int64_t device_width = heads.queries / t * of_queries + device_keys(share, heads) * of_keys;
  const std::optional<bool> bias = has_bias(share, false);
  // Key and value heads are copied where there are fewer of them than tensor ranks.
  const int64_t made_width = device_width * share.options.tensor;
  Linear made = column(share, hidden, made_width);
  made.bias = bias;
  made.readers = borrows ? 1 : projection_readers(share);
  Operation operation = linear(share, made);
  const double extra = as_double(made_width - width);
  operation.parameters -= extra * as_double(hidden + (bias.value_or(share.shape.bias) ? 1 : 0));
  operation.model_flops -= 2 * share.all_tokens * extra * as_double(hidden);
  leave_out_key_biases(share, operation);
  operation.saved = share.bytes(device_width);
  if (offloads(share, OffloadedInput::attention)) operation.leaves = operation.saved;
  // Autocast adds its casts of three projections' gradients.
  const bool adds_casts = share.options.autocast && *made.readers > 1;
  const double joined = eager_projections(share, operation.saved / share.element);
  if (joined > 0 && !adds_casts)
    operation.input_gradient.push_back(
        stream(share, Kernel::elementwise, Direction::input_gradient, joined, 0));
  return {enter_region(share, Part::other, hidden), operation};
}

/// A projection to a low rank on every device, and the norm of it.
Operations compressed(const Share& share, int64_t rank, int64_t beside) {
  Operation down =
      linear(share, {.in = share.shape.hidden, .out = rank + beside, .tokens = share.outer_tokens});
  down.saved = share.outer_bytes(rank + beside);
  // The product to the heads norms what enters it.
  Operation inner = norm_of(share, rank);
  inner.part = Part::latent;
  return {down, inner};
}

/// A product from a low rank to all heads.
Operation up_projection(const Share& share, int64_t rank, int64_t out) {
  Linear made = column(share, rank, out);
  made.part = Part::latent;
  return linear(share, made);
}

/// Queries through a low rank, and one key and value for all heads, which every device has.
Operations ranked_projections(const Share& share, const Heads& heads) {
  const int64_t rank = share.shape.attention.query_rank;
  const int64_t one_key = heads.keys * (heads.width + heads.value);
  Operations operations = compressed(share, rank, one_key);
  operations.push_back(enter_region(share, Part::latent, rank + one_key));
  Operation up = up_projection(share, rank, heads.queries * heads.width);
  up.saved = share.bytes(share.heads() * heads.width + one_key);
  if (offloads(share, OffloadedInput::attention)) up.leaves = up.saved;
  operations.push_back(std::move(up));
  return operations;
}

/// Low-rank queries, keys and values, expanded to full heads.
Operations latent_projections(const Share& share, const LatentAttention& latent, int64_t block) {
  const int64_t heads = share.shape.attention.heads, query_width = latent.nope + latent.rope;
  const int64_t query_in = latent.query > 0 ? latent.query : share.shape.hidden;
  Operations operations;
  if (latent.query > 0) append(operations, compressed(share, latent.query, 0));
  append(operations, compressed(share, latent.key_value, latent.rope));
  const auto& given = share.shape.attention.indexer;
  const Indexer* scorer = given && given->in(block) ? &*given : nullptr;
  if (scorer) operations.push_back(indexer_inputs(share, *scorer));
  const int64_t scoring = scorer ? scorer->head_dim + scorer->heads : 0;
  const int64_t gates = share.shape.attention.gates(latent.value);
  const int64_t gating = gates > 0 && latent.query > 0 ? share.shape.hidden : 0;
  operations.push_back(enter_region(share, Part::latent,
                                    query_in + latent.key_value + latent.rope + scoring + gating));
  if (scorer) append(operations, indexer(share, *scorer));
  operations.push_back(up_projection(share, query_in, heads * query_width));
  operations.back().saved = share.bytes(share.heads() * query_width);
  if (offloads(share, OffloadedInput::attention))
    operations.back().leaves = operations.back().saved;
  const int64_t expanded = latent.nope + latent.value;
  operations.push_back(up_projection(share, latent.key_value, heads * expanded));
  operations.back().saved = share.bytes(share.heads() * (query_width + latent.value));
  if (offloads(share, OffloadedInput::attention))
    operations.back().leaves = operations.back().saved;
  if (gates > 0) {
    operations.push_back(up_projection(share, share.shape.hidden, heads * gates));
    operations.back().saved = share.bytes(share.heads() * gates);
  }
  return operations;
}

/// Returns what makes queries, keys and values.
Operations attention_inputs(const Share& share, int64_t block) {
  const AttentionDimensions& shape = share.shape.attention;
  if (shape.latent) return latent_projections(share, *shape.latent, block);
  if (shape.query_rank > 0) return ranked_projections(share, heads_of(share, block));
  return projections(share, heads_of(share, block), share.shape.borrows(block));
}

/// Keeps what leaves the core once, in 12 bits, for its own backward pass and that of the product
/// behind it, in place of 16 bits for one and an operand for the other.
void keep_in_e5m6(const Share& share, int64_t width, Operation& out) {
  constexpr double e5m6 = 1.5;
  const double numbers = share.bytes(width) / share.element;
  const double twice = share.element + (share.narrow() ? share.operand : 0);
  out.saved += (e5m6 - twice) * numbers;
}

}  // namespace

bool exchanges_heads(const Share& share) {
  return share.options.context > 1 &&
         share.options.context_split.exchange == ContextExchange::ulysses;
}

int64_t keys_of(const Share& share, const Core& core) {
  return core.source > 0 ? core.source : share.options.sequence;
}

double core_model_flops(const Share& share, const Core& core) {
  return 2 * share.all_tokens * as_double(core.reach + core.more_reach) *
         as_double(core.all_heads) * as_double(core.query + core.value);
}

void leave_out_key_biases(const Share& share, Operation& keys) {
  if (!share.shape.sound || !share.shape.bias) return;
  const double on_device = as_double(share.kv_heads() * share.shape.attention.head_dim);
  keys.device_parameters -= on_device;
  keys.parameters -= as_double(share.shape.attention.kv_heads * share.shape.attention.head_dim);
}

Operation output_projection(const Share& share, int64_t width, std::optional<bool> bias) {
  Operation operation = linear(share, {.in = width * share.options.tensor,
                                       .out = share.shape.hidden,
                                       .split = Split::row,
                                       .tokens = share.tokens,
                                       .bias = bias});
  operation.saved = share.bytes(width);
  if (share.narrow()) operation.saved *= 1 + share.operand / share.element;
  if (const double laid = eager_outputs(share, share.bytes(width) / share.element); laid > 0) {
    const auto pass = [&](Direction direction) {
      return stream(share, Kernel::elementwise, direction, laid / 2, laid / 2);
    };
    operation.forward.insert(operation.forward.begin(), pass(Direction::forward));
    operation.input_gradient.push_back(pass(Direction::input_gradient));
    operation.saved += laid / 2;
  }
  return operation;
}

Operation attention_core(const Share& share, const Core& core) {
  return share.options.kernels.attention == AttentionKernel::flash ? flash_core(share, core)
                                                                   : unfused_core(share, core);
}

Operation core_with_sinks(const Share& share, const Core& core) {
  Operation core_of_all = attention_core(share, core);
  if (!share.shape.attention.sinks) return core_of_all;
  core_of_all.parameters += as_double(core.all_heads);
  core_of_all.device_parameters += as_double(core.heads);
  return core_of_all;
}

Operations between_projections(const Share& share, int64_t block) {
  const Core core = make_core(share, block);
  const AttentionDimensions& shape = share.shape.attention;
  Operations operations;
  if (shape.norm != HeadNorm::none)
    operations.push_back(head_norms(share, core, share.shape.borrows(block)));
  operations.push_back(rotation(share, core));
  append(operations, share.options.context_split.heads > 1
                         ? exchanged_within_rings(share, core)
                         : exchanged(share, core, core_with_sinks(share, core)));
  if (shape.gates(core.value) > 0) operations.push_back(head_gate(share, core));
  return operations;
}

Operations attention(const Share& share, int64_t block) {
  if (share.shape.attention.compression) return compressed_attention(share, block);
  const Core core = make_core(share, block);
  Operations operations = attention_inputs(share, block);
  if (!share.shape.attention.latent && share.shape.chooses_keys(block))
    append(operations, block_indexer(share, required(share.shape.attention.indexer,
                                                     "a block that chooses keys has an indexer")));
  append(operations, between_projections(share, block));
  operations.push_back(output_projection(share, core.context_width(), has_bias(share, true)));
  Operation& out = operations.back();
  if (share.options.kept.attention_outputs == KeptOutputs::e5m6)
    keep_in_e5m6(share, core.context_width(), out);
  if (offloads(share, OffloadedInput::output_projection)) out.leaves = out.saved;
  return operations;
}

}  // namespace pipewright::transformer
