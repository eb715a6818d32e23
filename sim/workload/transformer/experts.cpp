// Mixture of experts in place of a block's MLP: router, dispatch, experts, combine, shared experts.
//
// Words: E experts, k active, g devices of an expert group, l load: what the busiest of them gets
// over the mean (experts.imbalance, at most experts.capacity), for whom the others wait in the next
// all_to_all: all are charged what it does. Its experts share that evenly; nothing is padded.
//   g = 1   every device has all experts, each cut over the tensor group as an MLP is
//   g > 1   a device has E / g whole experts; the group spans tensor ranks first. A device routes
//           n / t tokens, sends k copies of each (an all_to_all there, one back, and the same for
//           the gradients) and receives l times as many, by sender: they are put in the order of
//           its experts, and back: one grouped product of E / g parts, a kernel each. Operands are
//           cast part by part too, but under delayed scaling, where one kernel casts them all.
// Unless tokens above a capacity are dropped, nobody knows how many rows will come: devices gather
// g E counts before they send, and the host waits for them. With the choice go small kernels that
// a host takes longer to start than a device to run, each about two operators of the framework:
//   forward   the loads of the experts, their balancing loss, the order of the rows to send; to
//             gather: counts by expert, by device, what comes from whom; an order for each sorting
//   backward  of the choice and of the loss, and the sorting of the probabilities' gradients
// Sources: GShard (arXiv 2006.16668); Megatron-Core's router and all-to-all token dispatcher;
// Transformer Engine's multi_tensor_quantize; DeepSeekMoE (2401.06066) for shared experts, which
// Qwen multiplies by a gate, one number a token. Left out: what of this a CUDA graph or DeepEP's
// kernels spare the host.
#include "base/required.hpp"
#include "base/units.hpp"
#include "workload/transformer/share.hpp"

namespace pipewright::transformer {
namespace {

const Experts& experts_of(const Share& share) {
  return required(share.shape.experts, "a block of experts has some");
}

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

/// Bytes of a number in fp8 with its part of a scale in fp32 for 128 of them (arXiv 2412.19437,
/// 3.3.2).
constexpr double fp8_with_scales = 1 + 4.0 / 128;

bool exchanges(const Share& share) { return share.options.expert > 1; }

Routed routed(const Share& share) {
  const Experts& experts = experts_of(share);
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

/// Casts of an operand that comes in a part for each expert.
std::vector<Work> casts_in_turn(const Share& share, const Routed& r, Direction direction,
                                double numbers) {
  std::vector<Work> kernels = casts(share, direction, numbers);
  if (share.options.precision == DType::fp8 && share.options.fp8.scaling == Scaling::delayed)
    return kernels;
  for (Work& work : kernels) {
    work.shape[0] = r.experts;
    work.in_turn = true;
  }
  return kernels;
}

/// Adds the biases of a product `out` wide on this device, whose gradients are sums of columns.
void add_biases(const Share& share, const Routed& r, int64_t out, Operation& operation) {
  const double biases = as_double(r.experts) * as_double(out);
  operation.device_parameters += biases;
  operation.device_expert_parameters += biases;
  operation.weight_gradient.push_back(stream(share, Kernel::elementwise, Direction::weight_gradient,
                                             share.element * r.copies * as_double(out),
                                             4 * biases));
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
  operation.forward = casts_in_turn(share, r, Direction::forward, x);
  operation.input_gradient = casts_in_turn(share, r, Direction::input_gradient, y);
  operation.forward.push_back(
      with_weights(in_turn(gemm(dtype, Direction::forward, {batch, rows, out, in},
                                operand * (x + w), share.element * y)),
                   operand * w));
  operation.input_gradient.push_back(
      with_weights(in_turn(gemm(dtype, Direction::input_gradient, {batch, rows, in, out},
                                operand * (y + w), share.element * x)),
                   operand * w));
  operation.weight_gradient.push_back(
      in_turn(gemm(dtype, Direction::weight_gradient, {batch, out, in, rows},
                   operand * (x + y) + gradient, gradient)));
  operation.device_parameters = operation.device_expert_parameters = w;
  if (experts_of(share).bias) add_biases(share, r, out, operation);
  return operation;
}

Operations routed_experts(const Share& share, const Routed& r) {
  const Experts& experts = experts_of(share);
  const int64_t hidden = share.shape.hidden, projections = share.shape.gated ? 2 : 1;
  Operations operations = {grouped(share, r, hidden, projections * r.ffn),
                           activation(share, r.copies, r.ffn), grouped(share, r, r.ffn, hidden)};
  const double one = as_double(hidden) * as_double((projections + 1) * experts.ffn);
  const int64_t biases = experts.bias ? projections * experts.ffn + hidden : 0;
  operations.front().parameters = as_double(experts.count) * (one + as_double(biases));
  operations.front().model_flops = 2 * share.all_tokens * as_double(experts.active) * one;
  return operations;
}

/// Bytes of a mark for each token and expert: who is chosen.
double map_bytes(const Share& share, const Routed& r) {
  return as_double(r.tokens) * as_double(experts_of(share).count);
}

void add_small(const Share& share, std::vector<Work>& kernels, Direction direction, int count,
               double read) {
  const double written = 4 * as_double(experts_of(share).count);
  kernels.insert(kernels.end(), static_cast<size_t>(count),
                 stream(share, Kernel::elementwise, direction, read, written));
}

/// Scores of all experts for every token, the choice among them, and the loss that balances it.
Operation router(const Share& share, const Routed& r) {
  const int64_t hidden = share.shape.hidden, count = experts_of(share).count;
  const bool bias = share.shape.bias || experts_of(share).bias;
  Operation operation =
      linear(share.wide(),
             {.in = hidden, .out = count, .part = Part::mlp, .tokens = r.tokens, .bias = bias});
  const double scores = map_bytes(share, r) * share.element;
  operation.forward.push_back(
      stream(share, Kernel::elementwise, Direction::forward, scores, scores));
  add_small(share, operation.forward, Direction::forward, 2, scores);
  std::vector<Work> backward;
  add_small(share, backward, Direction::input_gradient, 2, scores);
  operation.input_gradient.insert(operation.input_gradient.begin(), backward.begin(),
                                  backward.end());
  operation.saved = scores;
  return operation;
}

/// Tells all how many rows go where.
Operation announcement(const Share& share, const Routed& r) {
  Operation operation{.part = Part::mlp};
  add_small(share, operation.forward, Direction::forward, 3, map_bytes(share, r));
  const double counts = 4 * as_double(experts_of(share).count);
  operation.forward_collective =
      CollectiveWork{CollectiveKind::all_gather, Axis::expert,
                     whole_bytes(counts * as_double(share.options.expert))};
  return operation;
}

/// Sorts the rows into the order in which they are to come.
Operation order(const Share& share, const Routed& r) {
  Operation operation{.part = Part::mlp};
  add_small(share, operation.forward, Direction::forward, 1, map_bytes(share, r));
  return operation;
}

/// A kernel that moves `from` bytes to where they come in the order of experts, or of tokens.
Operation permute(const Share& share, double from, double to) {
  Operation operation{.part = Part::mlp};
  operation.forward = {stream(share, Kernel::permute, Direction::forward, from, to)};
  operation.input_gradient = {stream(share, Kernel::permute, Direction::input_gradient, to, from)};
  return operation;
}

/// Sends `rows` to where they are worked on. `there`: to the experts; else their results come back.
/// The gradients go the other way.
Operation exchange(const Share& share, double rows, bool there) {
  Operation operation{.part = Part::mlp};
  if (!exchanges(share)) return operation;
  const double hidden = as_double(share.shape.hidden);
  const double to_experts = share.options.fp8.dispatch ? fp8_with_scales : share.element;
  const auto sends = [&](double element) {
    return CollectiveWork{CollectiveKind::all_to_all, Axis::expert,
                          whole_bytes(rows * hidden * element)};
  };
  operation.forward_collective = sends(there ? to_experts : share.element);
  operation.input_gradient_collective = sends(there ? share.element : to_experts);
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
  Operations operations = {router(share, r)};
  if (exchanges(share) && experts_of(share).capacity == 0)
    operations.push_back(announcement(share, r));
  append(operations, {order(share, r), there, exchange(share, r.copies, true)});
  const bool sorts = exchanges(share) && r.experts > 1;
  const Operations sorted = {order(share, r), permute(share, copy_bytes, copy_bytes)};
  if (sorts) {
    append(operations, sorted);
    add_small(share, operations.back().input_gradient, Direction::input_gradient, 1, 4 * r.copies);
  }
  append(operations, routed_experts(share, r));
  if (sorts) append(operations, sorted);
  append(operations, {exchange(share, r.copies, false), back});
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
  const Experts& experts = experts_of(share);
  if (experts.shared == 0) return {};
  Operations operations = mlp(share, experts.shared_width());
  if (!experts.shared_gate) return operations;
  Operation gate = linear(share.wide(), {.in = share.shape.hidden,
                                         .out = 1,
                                         .part = Part::mlp,
                                         .tokens = share.tokens,
                                         .bias = false});
  operations.insert(operations.begin(), std::move(gate));
  return operations;
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
