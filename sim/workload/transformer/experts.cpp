// Mixture of experts in place of a block's MLP: router, dispatch, experts, combine, shared experts.
//
// Words: E experts, k active, g devices of an expert group, l load: what the busiest of them gets
// over the mean (experts.imbalance, at most experts.capacity), for whom the others wait in the next
// all_to_all: all are charged what it does. Its experts share that evenly; nothing is padded.
//   g = 1   every device has all experts, each cut over the tensor group as an MLP is
//   g > 1   a device has E / g whole experts; the group spans tensor ranks first. A device routes
//           n / t tokens, sends k copies of each (an all_to_all there, one back, and the same for
//           the gradients) and receives l times as many, by sender: they are put in the order of
//           its experts, and back: one grouped product of E / g parts, a kernel each.
// Sources: GShard (arXiv 2006.16668); Megatron-Core's token dispatcher; DeepSeekMoE (2401.06066)
// for shared experts. Left out: auxiliary losses, biases.
#include "workload/transformer/share.hpp"

namespace pipewright::transformer {
namespace {

double as_double(int64_t n) { return static_cast<double>(n); }

/// The routed part of one device.
struct Routed {
  int64_t experts;  ///< on this device
  int64_t ffn;      ///< of one expert, on this device
  int64_t tokens;   ///< routed by this device
  double sent;      ///< rows it sends, copies of its tokens
  double copies;    ///< rows its experts work on

  int64_t copies_of_one() const {
    return static_cast<int64_t>(copies + as_double(experts) - 1) / experts;
  }
};

bool exchanges(const Share& share) { return share.options.expert > 1; }

Routed routed(const Share& share) {
  const Experts& experts = *share.shape.experts;
  const int64_t t = share.options.tensor;
  const int64_t tokens = exchanges(share) ? share.tokens / t : share.tokens;
  return {.experts = experts.count / share.options.expert,
          .ffn = exchanges(share) ? experts.ffn : experts.ffn / t,
          .tokens = tokens,
          .sent = as_double(tokens) * as_double(experts.active),
          .copies = as_double(tokens) * as_double(experts.active) *
                    (exchanges(share) ? experts.load() : 1)};
}

Work in_turn(Work product) {
  product.in_turn = true;
  return product;
}

/// A product for each of this device's experts, one after the other as Transformer Engine's grouped
/// layer runs them; narrow operands are cast as in linear().
Operation grouped(const Share& share, const Routed& r, int64_t in, int64_t out) {
  const DType dtype = share.product;
  const int64_t batch = r.experts, rows = r.copies_of_one();
  const double x = r.copies * as_double(in), y = r.copies * as_double(out);
  const double w = as_double(batch) * as_double(in) * as_double(out);
  const double operand = share.operand, gradient = element_bytes(share.options.gradients) * w;
  Operation operation{.part = Part::mlp};
  operation.forward = casts(share, Direction::forward, x);
  operation.input_gradient = casts(share, Direction::input_gradient, y);
  operation.forward.push_back(in_turn(gemm(dtype, Direction::forward, {batch, rows, out, in},
                                           operand * (x + w), share.element * y)));
  operation.input_gradient.push_back(
      in_turn(gemm(dtype, Direction::input_gradient, {batch, rows, in, out}, operand * (y + w),
                   share.element * x)));
  operation.weight_gradient.push_back(
      in_turn(gemm(dtype, Direction::weight_gradient, {batch, out, in, rows},
                   operand * (x + y) + gradient, gradient)));
  operation.device_parameters = operation.device_expert_parameters = w;
  return operation;
}

Operations routed_experts(const Share& share, const Routed& r) {
  const Experts& experts = *share.shape.experts;
  const int64_t hidden = share.shape.hidden, ways = share.shape.gated ? 2 : 1;
  Operations operations = {grouped(share, r, hidden, ways * r.ffn),
                           activation(share, r.copies, r.ffn), grouped(share, r, r.ffn, hidden)};
  const double one = as_double(hidden) * as_double((ways + 1) * experts.ffn);
  operations.front().parameters = as_double(experts.count) * one;
  operations.front().model_flops = 2 * share.all_tokens * as_double(experts.active) * one;
  return operations;
}

/// Scores of all experts for every token, and the choice among them.
Operation router(const Share& share, const Routed& r) {
  const int64_t hidden = share.shape.hidden, count = share.shape.experts->count;
  Operation operation =
      linear(share.wide(), {.in = hidden, .out = count, .part = Part::mlp, .tokens = r.tokens});
  const double scores = as_double(r.tokens) * as_double(count) * share.element;
  operation.forward.push_back(
      stream(share, Kernel::elementwise, Direction::forward, scores, scores));
  operation.saved = scores;
  return operation;
}

/// A kernel that moves `from` bytes to where they come in the order of experts, or of tokens.
Operation permute(const Share& share, double from, double to) {
  Operation operation{.part = Part::mlp};
  operation.forward = {stream(share, Kernel::permute, Direction::forward, from, to)};
  operation.input_gradient = {stream(share, Kernel::permute, Direction::input_gradient, to, from)};
  return operation;
}

Operation exchange(const Share& share, double bytes) {
  Operation operation{.part = Part::mlp};
  if (!exchanges(share)) return operation;
  operation.forward_collective = operation.input_gradient_collective =
      CollectiveWork{CollectiveKind::all_to_all, Axis::expert, whole_bytes(bytes)};
  return operation;
}

Operations dispatched(const Share& share, const Routed& r) {
  const double token_bytes = as_double(r.tokens) * as_double(share.shape.hidden) * share.element;
  const double sent_bytes = r.sent * as_double(share.shape.hidden) * share.element;
  const double copy_bytes = r.copies * as_double(share.shape.hidden) * share.element;
  Operation there = permute(share, token_bytes, sent_bytes);
  there.saved = copy_bytes / share.element * share.operand;  // operands of the first product
  Operation back = permute(share, sent_bytes, token_bytes);
  back.saved = sent_bytes;  // for the gradient of the router's weights
  Operations operations = {router(share, r), there, exchange(share, copy_bytes)};
  const bool sorts = exchanges(share) && r.experts > 1;
  if (sorts) operations.push_back(permute(share, copy_bytes, copy_bytes));
  append(operations, routed_experts(share, r));
  if (sorts) operations.push_back(permute(share, copy_bytes, copy_bytes));
  append(operations, {exchange(share, copy_bytes), back});
  return operations;
}

/// Tokens cut over the tensor group, and put together again: sequence parallelism has them so.
Operation cut_tokens(const Share& share, bool together) {
  Operation operation{.part = Part::mlp};
  if (share.options.tensor == 1 || share.options.sequence_parallel) return operation;
  const CollectiveWork gather{CollectiveKind::all_gather, Axis::tensor,
                              whole_bytes(share.bytes(share.shape.hidden))};
  (together ? operation.forward_collective : operation.input_gradient_collective) = gather;
  return operation;
}

Operations shared_experts(const Share& share) {
  const Experts& experts = *share.shape.experts;
  if (experts.shared == 0) return {};
  return mlp(share, experts.shared * experts.ffn);
}

void append_region(Operations& operations, const Share& share, Operations inside) {
  if (inside.empty()) return;
  operations.push_back(enter_region(share, Part::mlp, share.shape.hidden));
  append(operations, std::move(inside));
  operations.push_back(leave_region(share, Part::mlp));
}

}  // namespace

Operations experts(const Share& share) {
  const Routed r = routed(share);
  Operations operations;
  if (exchanges(share)) {
    append(operations, {cut_tokens(share, false)});
    append(operations, dispatched(share, r));
    append(operations, {cut_tokens(share, true)});
    append_region(operations, share, shared_experts(share));
  } else {
    Operations inside = dispatched(share, r);
    append(inside, shared_experts(share));
    append_region(operations, share.wide(), std::move(inside));  // the router reads it too
  }
  return operations;
}

}  // namespace pipewright::transformer
