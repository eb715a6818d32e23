// Context parallelism: how the queries of one of c devices meet the keys of the others.
//
// A device has n tokens: pieces k and 2c - 1 - k of 2c (zigzag), so that a causal mask leaves all
// devices the same work, or piece k of c (contiguous), where the last has the most and the others
// wait for it. With K bytes of keys and values on a device:
//   ring         c blocks, each on what one device has, while K moves on to the next device:
//                c - 1 shifts forward, beginning with a device's own. Backward K goes the same way
//                back, from what came last to the device's own, and the gradients of keys and
//                values, K too, travel one block behind: c shifts, each beside a block, the first
//                without gradients and the last without keys. A shift leaves before block i when
//                block i - 1 has computed. Partial outputs are merged in fp32, gradients added.
//   ulysses      all-to-all of queries, keys and values to n c tokens of a / c heads, and of the
//                output back; the same of their gradients. Fewer key heads than c are copied.
//   heads u      where u neighbours exchange heads as above, to n u tokens of a / u heads, and
//                c / u such groups are in a ring (arXiv 2405.07719; Transformer Engine's a2a+p2p)
//   all-gather   of K before the core, and again in the backward pass, whose gradients are
//                reduce-scattered; nothing beside it
// Contiguous blocks above the diagonal are not computed by anybody; those of the last device are
// what everybody is charged. Unfused attention gathers, whatever was asked for.
// Sources: ring attention (arXiv 2310.01889), Transformer Engine's context parallelism for order,
// merging and the two rings; DeepSpeed-Ulysses (2309.14509); Llama 3 (2407.21783), section 3.3.2.
#include <algorithm>

#include "base/units.hpp"
#include "workload/transformer/core.hpp"

namespace pipewright::transformer {
namespace {

CollectiveWork over(Axis axis, CollectiveKind kind, double bytes) {
  return {kind, axis, whole_bytes(bytes)};
}

CollectiveWork over_context(CollectiveKind kind, double bytes) {
  return over(Axis::context, kind, bytes);
}

Axis ring_axis(const Share& share) {
  return share.options.context_split.heads > 1 ? Axis::context_ring : Axis::context;
}

/// Returns the share of the busiest device's pairs that have its own keys.
double diagonal_share(const Share& share, const Core& core) {
  const int64_t c = share.options.context, s = share.options.sequence;
  const bool triangle =
      !share.options.context_split.zigzag && !share.shape.encoder && core.reach == s;
  if (!triangle) return 1 / as_double(c);
  const double q = as_double(s / c), own = q * (q + 1) / 2;
  return own / (own + q * (as_double(s) - q));
}

/// One block's part of `whole`, which reads the keys of all devices.
Work block_of(const Work& whole, double flops_share, int64_t keys_elsewhere) {
  Work block = whole;
  block.flops *= flops_share;
  block.read.count -= keys_elsewhere;
  return block;
}

/// Blocks on two chains by turns: each waits for the shift that brought its keys, which left before
/// the block before it began. `shifts[i]` leaves before block i.
Segments round_trip(Axis axis, const std::vector<std::vector<Work>>& blocks,
                    const std::vector<double>& shifts) {
  const auto shift = [&](size_t i) -> std::optional<CollectiveWork> {
    if (i >= shifts.size()) return std::nullopt;
    return over(axis, CollectiveKind::shift, shifts[i]);
  };
  Segments segments{{.collective = shift(0)}};
  for (size_t i = 0; i < blocks.size(); ++i)
    segments.push_back(
        {.kernels = blocks[i], .collective = shift(i + 1), .chain = i % 2 == 0 ? 1 : 0});
  segments.push_back({.joins = true});
  return segments;
}

Operation ring(const Share& share, const Core& core, Operation whole) {
  const auto c = static_cast<size_t>(share.options.context);
  const double keys = share.bytes(core.kv_width()), queries = share.bytes(core.query_width());
  const double output = share.bytes(core.context_width()), running = output * 4 / share.element;
  const double own = diagonal_share(share, core), other = (1 - own) / as_double(int64_t(c) - 1);
  const int64_t elsewhere = whole_bytes(keys).count * (int64_t(c) - 1);
  const Work merge =
      stream(share, Kernel::elementwise, Direction::forward, output + running, running);
  const Work add = stream(share, Kernel::elementwise, Direction::input_gradient,
                          2 * (queries + keys), queries + keys);
  std::vector<std::vector<Work>> forward, backward;
  for (size_t i = 0; i < c; ++i) {
    const double there = i == 0 ? own : other, back = i + 1 == c ? own : other;
    forward.push_back({block_of(whole.forward.front(), there, elsewhere)});
    backward.push_back({block_of(whole.input_gradient.front(), back, elsewhere)});
    if (i == 0) continue;
    forward.back().push_back(merge);
    backward.back().push_back(add);
  }
  std::vector<double> there(c - 1, keys), back(c, 2 * keys);
  back.front() = back.back() = keys;  // only keys; only their gradients
  whole.forward_steps = round_trip(ring_axis(share), forward, there);
  whole.input_gradient_steps = round_trip(ring_axis(share), backward, back);
  whole.forward.clear();
  whole.input_gradient.clear();
  return whole;
}

/// Tokens of all heads to all tokens of some heads, or back, with a copy that puts them in order.
Operation transposition(const Share& share, Axis axis, double bytes) {
  Operation operation{.part = Part::attention};
  operation.forward = {stream(share, Kernel::elementwise, Direction::forward, bytes, bytes)};
  operation.input_gradient = {
      stream(share, Kernel::elementwise, Direction::input_gradient, bytes, bytes)};
  operation.forward_collective = operation.input_gradient_collective =
      over(axis, CollectiveKind::all_to_all, bytes);
  return operation;
}

/// `inside` on some heads of the tokens of `devices` along `axis`.
Operations ulysses(const Share& share, const Core& core, Axis axis, int64_t devices,
                   Operations inside) {
  const int64_t kv_heads = std::max(core.kv_heads, devices);
  const double there =
      share.bytes(core.query_width()) + share.bytes(kv_heads * (core.query + core.value));
  Operations operations{transposition(share, axis, there)};
  append(operations, std::move(inside));
  operations.push_back(transposition(share, axis, share.bytes(core.context_width())));
  return operations;
}

Operations gathered(const Share& share, const Core& core, Operation whole) {
  const double all = share.bytes(core.kv_width()) * as_double(share.options.context);
  Operation before{.part = Part::attention}, after{.part = Part::attention};
  before.forward_collective = over_context(CollectiveKind::all_gather, all);
  before.input_gradient_collective = over_context(CollectiveKind::reduce_scatter, all);
  after.input_gradient_collective = over_context(CollectiveKind::all_gather, all);
  return {before, std::move(whole), after};
}

}  // namespace

Operations exchanged(const Share& share, const Core& core, Operation operation) {
  const WorkloadOptions& options = share.options;
  if (options.context == 1) return {std::move(operation)};
  if (options.context_split.exchange == ContextExchange::ulysses)
    return ulysses(share, core, Axis::context, options.context, {std::move(operation)});
  const bool fused = options.kernels.attention == AttentionKernel::flash;
  if (options.context_split.exchange == ContextExchange::ring && fused)
    return {ring(share, core, std::move(operation))};
  return gathered(share, core, std::move(operation));
}

Operations exchanged_within_rings(const Share& share, const Core& core) {
  WorkloadOptions options = share.options;
  const int64_t devices = options.context_split.heads;
  options.context /= devices;
  const Share inner{share.shape,       options,          share.product,          share.dtype,
                    share.element,     share.operand,    share.tokens * devices, share.outer_tokens,
                    share.outer_parts, share.all_tokens, share.tensor_axis,      share.frozen,
                    share.stored};
  Core part = core;
  part.heads /= devices;
  part.kv_heads = std::max<int64_t>(part.kv_heads / devices, 1);
  return ulysses(share, core, Axis::context_heads, devices,
                 exchanged(inner, part, core_with_sinks(inner, part)));
}

}  // namespace pipewright::transformer
