// Mixture of experts in place of a block's MLP: router, dispatch, experts, combine, shared experts.
//
// Words: E experts, k active, g devices of an expert group, l load: what the busiest of them gets
// over the mean (experts.imbalance, at most experts.capacity), for whom the others wait in the next
// all_to_all: all are charged what it does. Its experts share that evenly; nothing is padded.
//   g = 1   every device has all experts, each cut over the tensor group as an MLP is
//   g > 1   a device has E / g experts, whole or its part of each (expert_tensor); the group spans
//           tensor ranks first. A device routes n / t tokens; token_dispatch.cpp has how k copies
//           of each get to their experts: one grouped product of E / g parts, a kernel each.
//           Operands are cast part by part too, but under delayed scaling, where one kernel casts
//           them all.
// With the choice go small kernels that a host takes longer to start than a device to run, each
// about two operators of the framework: forward the loads of the experts and their balancing loss,
// backward those of the choice and of the loss.
// Sources: GShard (arXiv 2006.16668); Megatron-Core's router;
// Transformer Engine's multi_tensor_quantize; DeepSeekMoE (2401.06066) for shared experts, which
// Qwen multiplies by a gate, one number a token; Megatron-Core's transformer_config.py
// (moe_latent_size) for experts of a width of their own, between two products that all devices
// have. An expert that gives a token back as it is (LongCat-Flash, arXiv 2509.01322) is one of
// those that the router scores; its rows are neither sent nor worked on. Left out: what of this
// DeepEP's kernels spare the host.
#include "workload/transformer/adapters.hpp"
#include "workload/transformer/graphs.hpp"
#include "workload/transformer/routed.hpp"

namespace pipewright::transformer {
namespace {

Routed routed(const Share& share) {
  const Experts& experts = experts_of(share);
  const int64_t t = share.options.tensor;
  const int64_t tokens = exchanges(share) ? share.tokens / t : share.tokens;
  const int64_t cut = exchanges(share) ? share.options.expert_tensor : t;
  const double sent = as_double(tokens) * experts.working();
  const double load = share.options.graphs.pads ? experts.capacity : experts.load();
  const double got = sent * (exchanges(share) ? load : 1);
  return {.experts = experts.count / share.options.expert,
          .ffn = experts.ffn / cut,
          .tokens = tokens,
          .sent = sent,
          .got = got,
          .copies = got * as_double(share.options.expert_tensor)};
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
/// layer runs them; narrow operands are cast as in linear(). `sides`: of a whole expert's.
Operation grouped(const Share& share, const Routed& r, int64_t in, int64_t out, double sides) {
  const DType dtype = share.product;
  const int64_t batch = r.experts, rows = r.copies_of_one();
  const double x = r.copies * as_double(in), y = r.copies * as_double(out);
  const double w = as_double(batch) * as_double(in) * as_double(out);
  const double operand = share.operand, gradient = element_bytes(share.options.gradients) * w;
  Operation operation{.part = Part::experts};
  operation.narrow = narrow_weights(share, w);
  operation.forward = widened_weights(share, Direction::forward, w);
  operation.input_gradient = widened_weights(share, Direction::input_gradient, w);
  add_kernels(operation.forward, casts_in_turn(share, r, Direction::forward, x));
  add_kernels(operation.input_gradient, casts_in_turn(share, r, Direction::input_gradient, y));
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
  add_expert_adapter(share,
                     {.experts = batch, .rows = rows, .in = in, .out = out, .whole_sides = sides},
                     operation);
  return operation;
}

Operations routed_experts(const Share& share, const Routed& r) {
  const Experts& experts = experts_of(share);
  const int64_t width = row_width(share), projections = share.shape.gated ? 2 : 1;
  const double up = as_double(width + projections * experts.ffn);
  const double down = as_double(experts.ffn + width);
  Operations operations = {grouped(share, r, width, projections * r.ffn, up),
                           activation(share, Part::expert_activation, r.copies, r.ffn),
                           grouped(share, r, r.ffn, width, down)};
  const double one = as_double(width) * as_double((projections + 1) * experts.ffn);
  const int64_t biases = experts.bias ? projections * experts.ffn + width : 0;
  operations.front().parameters += as_double(experts.count) * (one + as_double(biases));
  operations.front().model_flops = 2 * share.all_tokens * experts.working() * one;
  return operations;
}

/// Scores of all experts for every token, the choice among them, and the loss that balances it.
Operation router(const Share& share, const Routed& r) {
  const int64_t hidden = share.shape.hidden, count = experts_of(share).choices();
  const bool bias = share.shape.bias || experts_of(share).bias;
  Operation operation =
      linear(share.wide(),
             {.in = hidden, .out = count, .part = Part::experts, .tokens = r.tokens, .bias = bias});
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

/// A norm of the sum of a token's routed experts, before it is as wide as between blocks again.
Operation latent_norm(const Share& share, const Routed& r) {
  const double width = as_double(experts_of(share).latent);
  const double bytes = as_double(r.tokens) * width * share.element;
  Operation operation{.part = Part::experts};
  operation.forward = {stream(share, Kernel::norm, Direction::forward, bytes, bytes)};
  operation.input_gradient = {
      stream(share, Kernel::norm, Direction::input_gradient, 2 * bytes, bytes)};
  operation.saved = bytes;
  operation.parameters = operation.device_parameters = width;
  return operation;
}

/// A product between a token's width and that of the experts' rows, before they are sent or after
/// their sum. Every device has it whole.
Operations between_widths(const Share& share, const Routed& r, bool there) {
  const int64_t hidden = share.shape.hidden, latent = experts_of(share).latent;
  if (latent == 0) return {};
  Operation operation = linear(share, {.in = there ? hidden : latent,
                                       .out = there ? latent : hidden,
                                       .part = Part::experts,
                                       .tokens = r.tokens});
  operation.saved = as_double(r.tokens) * as_double(latent) * share.element;
  if (there || !experts_of(share).latent_norm) return {operation};
  return {latent_norm(share, r), operation};
}

Operations dispatched(const Share& share, const Routed& r) {
  Operations operations = captured(share, GraphedModule::moe_router, {router(share, r)});
  append(operations,
         captured(share, GraphedModule::moe_preprocess, between_widths(share, r, true)));
  append(operations, to_experts(share, r));
  append(operations, routed_experts(share, r));
  append(operations, from_experts(share, r));
  append(operations, between_widths(share, r, false));
  return operations;
}

/// Tokens cut over the tensor group, and put together again: sequence parallelism has them so.
Operation cut_tokens(const Share& share, bool together) {
  Operation operation{.part = Part::experts};
  if (share.options.tensor == 1 || share.options.sequence_parallel) return operation;
  const CollectiveWork gather{CollectiveKind::all_gather, Axis::tensor,
                              whole_bytes(share.bytes(share.shape.hidden))};
  (together ? operation.forward_collective : operation.input_gradient_collective) = gather;
  return operation;
}

Operations shared_experts(const Share& share) {
  const Experts& experts = experts_of(share);
  if (experts.shared == 0) return {};
  Operations operations = mlp(share, experts.shared_width(), Part::shared_experts);
  if (!experts.shared_gate) return operations;
  Operation gate = linear(share.wide(), {.in = share.shape.hidden,
                                         .out = 1,
                                         .part = Part::shared_experts,
                                         .tokens = share.tokens,
                                         .bias = false});
  operations.insert(operations.begin(), std::move(gate));
  return operations;
}

void append_region(Operations& operations, const Share& share, Part part, Operations inside) {
  if (inside.empty()) return;
  operations.push_back(enter_region(share, part, share.shape.hidden));
  append(operations, std::move(inside));
  operations.push_back(leave_region(share, part));
}

}  // namespace

Operations experts(const Share& share) {
  const Routed r = routed(share);
  const bool spread = exchanges(share);
  Operations shared = shared_experts(share), routed = dispatched(share, r), operations;
  if (spread) {
    Operations region;
    append_region(region, share, Part::shared_experts, std::move(shared));
    shared = std::move(region);
    const auto router = GraphedModule::moe_router;
    routed.insert(routed.begin(), captured(share, router, {cut_tokens(share, false)}).front());
    routed.push_back(cut_tokens(share, true));
  }
  // In the router's graph shared experts come before what is outside of it.
  const bool shared_first = captures(share, GraphedModule::moe_router);
  Operations inside = shared_first ? captured(std::move(shared)) : std::move(routed);
  append(inside, shared_first ? std::move(routed) : std::move(shared));
  if (spread) return inside;
  // The router reads it too.
  append_region(operations, share.wide(), Part::experts, std::move(inside));
  if (shared_first) operations.front() = captured({operations.front()}).front();
  return operations;
}

}  // namespace pipewright::transformer
