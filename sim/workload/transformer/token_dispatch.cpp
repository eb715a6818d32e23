// How tokens get to their experts and back, where g devices share the experts and c of them cut
// each (expert_tensor).
//
//   all-to-all   a device sends k copies of each token that it routes, and receives l times as
//                many, by sender: they are put in the order of its experts, and back. Where c > 1,
//                each exchanges with its likes; then the c gather what they got, and in the end
//                they sum what they made and scatter it.
//   all-gather   g c devices gather all their tokens, and each keeps those that its experts want.
//                In the end they sum what they made and scatter it.
// Unless tokens above a capacity are dropped, nobody knows how many rows will come: devices gather
// g E counts before they send, or who is chosen with what weight, and the host waits for them.
//   once         DeepEP's and HybridEP's kernels read tokens where they are and bring each once to
//                a device, by sender. One kernel copies it to each of its experts there, and one
//                sums what these give back before it is sent. So the order of rows to send needs no
//                kernel that moves them. (DeepEP's legacy kernels intranode.cu and internode.cu;
//                HybridEP's permute.cu; _DeepepManager and _HybridEPManager of
//                token_dispatcher.py.)
// HybridEP gathers who chooses whom, a byte each, in place of counts, and one kernel reads it all
// (metadata_preprocess_core of its executor.cu).
// Small kernels go with it that a host takes longer to start than a device to run, each about four
// operators of the framework: an order of the rows to send; to gather, counts by expert, by device,
// what comes from whom; an order for each sorting. Where NCCL sends, the counts are 13 operators,
// and 12 more gather them and copy four of them to the host. The order of the rows to send is three
// kernels of Triton then, which count as three operators each, and four operators of PyTorch
// (permutation.py of Transformer Engine 2.9). Where DeepEP sends, marks are made of the numbers of
// experts that come with rows, by 12 operators (_indices_to_multihot), before such an order. The
// router's weights are sent by an exchange of their own. In fp8 the rows of each expert are copied
// to where they are a multiple of 16 or 32, and their weights likewise, and the results are copied
// back (Fp8Padding in TEGroupedMLP). The few rows that this adds are not counted. The router's
// weights multiply what is between the experts' products, in the activation's kernel
// (Megatron-Core, moe/experts.py, since its release of April 2025), so that what experts give back
// is not kept. DeepSpeed's multiply what experts give back (moe/sharded_moe.py). Source:
// Megatron-Core, moe/token_dispatcher.py.
#include "base/required.hpp"
#include "workload/transformer/expert_spread.hpp"
#include "workload/transformer/graphs.hpp"
#include "workload/transformer/routed.hpp"

namespace pipewright::transformer {
namespace {

/// Bytes of a number in fp8 with its part of a scale in fp32 for 128 of them (arXiv 2412.19437,
/// 3.3.2).
constexpr double fp8_with_scales = 1 + 4.0 / 128;

/// Kernels that find the order of rows by marks of who is chosen, and operators that make these of
/// numbers, four to a kernel.
constexpr int kernels_of_order = 3, kernels_of_marks = 12 / 4;

double row_bytes(const Share& share) { return as_double(row_width(share)) * share.element; }

/// Bytes of the tokens that all devices of a group route.
double all_tokens(const Share& share, const Routed& r) {
  return as_double(share.options.expert * share.options.expert_tensor) * as_double(r.tokens) *
         row_bytes(share);
}

bool sends_once(const Share& share) {
  return exchanges(share) && share.options.rows.library != TokenLibrary::none;
}

bool is_hybridep(const Share& share) {
  return share.options.rows.library == TokenLibrary::hybridep;
}

/// Returns the bytes of the rows that come to a device's experts where a token comes once to each.
double come_once(const Share& share, const Routed& r) {
  const auto devices = static_cast<int>(share.options.expert);
  return r.copies * sent_once(experts_of(share), devices) * row_bytes(share);
}

bool sorts(const Share& share, const Routed& r) {
  return exchanges(share) && !share.options.gathers_tokens && r.experts > 1;
}

/// Tells all how many rows go where, or who is chosen and with what weight in fp32.
Operation announcement(const Share& share, const Routed& r) {
  Operation operation{.part = Part::experts};
  const int kernels = share.options.rows.by_all_to_all ? 6 : 3;
  add_small(share, operation.forward, Direction::forward, kernels, map_bytes(share, r));
  const bool whole = share.options.gathers_tokens;
  const double count = as_double(experts_of(share).count);
  const double marks = is_hybridep(share) ? map_bytes(share, r) : 4 * count;
  const double sent = whole ? as_double(r.tokens) * count * (1 + 4) : marks;
  const int64_t cut = whole ? share.options.expert_tensor : 1;
  operation.forward_collective =
      CollectiveWork{CollectiveKind::all_gather, whole ? Axis::expert_block : Axis::expert,
                     whole_bytes(sent * as_double(share.options.expert * cut)), true};
  return operation;
}

/// Sorts the rows into the order in which they are to come.
Operation order(const Share& share, const Routed& r, int kernels = 1) {
  Operation operation{.part = Part::experts};
  const int64_t maps = is_hybridep(share) ? share.options.expert : 1;
  add_small(share, operation.forward, Direction::forward, kernels,
            as_double(maps) * map_bytes(share, r));
  return operation;
}

/// A kernel that moves `from` bytes to where they come in the order of experts, or of tokens.
Operation permute(const Share& share, double from, double to) {
  Operation operation{.part = Part::experts};
  operation.forward = {stream(share, Kernel::permute, Direction::forward, from, to)};
  operation.input_gradient = {stream(share, Kernel::permute, Direction::input_gradient, to, from)};
  return operation;
}

/// Gathers bytes over an axis on the way to experts; sums and scatters them on the way back.
Operation gathering(Axis axis, double bytes, bool there) {
  Operation operation{.part = Part::experts};
  const CollectiveWork gather{CollectiveKind::all_gather, axis, whole_bytes(bytes)};
  const CollectiveWork scatter{CollectiveKind::reduce_scatter, axis, whole_bytes(bytes)};
  operation.forward_collective = there ? gather : scatter;
  operation.input_gradient_collective = there ? scatter : gather;
  return operation;
}

/// Sends rows to where they are worked on. `there`: to the experts; else their results come back.
Operation exchange(const Share& share, const Routed& r, bool there) {
  Operation operation{.part = Part::experts};
  if (!exchanges(share)) return operation;
  const double width = as_double(row_width(share));
  const double to_experts = share.options.fp8.dispatch ? fp8_with_scales : share.element;
  const auto sends = [&](double element) {
    return CollectiveWork{CollectiveKind::all_to_all, Axis::expert,
                          whole_bytes(r.got * width * element)};
  };
  operation.forward_collective = sends(there ? to_experts : share.element);
  operation.input_gradient_collective = sends(there ? share.element : to_experts);
  return operation;
}

/// Sends the router's weights of all rows, in fp32, by themselves.
Operations weights_exchange(const Share& share, const Routed& r) {
  const bool apart = share.options.rows.by_all_to_all && exchanges(share) &&
                     share.options.kernels.routed == RoutedWeights::activations;
  if (!apart) return {};
  Operation operation{.part = Part::experts};
  const CollectiveWork sends{CollectiveKind::all_to_all, Axis::expert, whole_bytes(4 * r.got)};
  operation.forward_collective = operation.input_gradient_collective = sends;
  return {operation};
}

/// Copies rows to where each expert's are filled up, and their weights with them; or results back.
Operations filling(const Share& share, const Routed& r, bool there) {
  if (!share.options.rows.filled) return {};
  const double rows = r.copies * row_bytes(share);
  Operation operation = permute(share, rows, rows);
  if (there) {
    add_small(share, operation.forward, Direction::forward, 1, 4 * r.copies);
    add_small(share, operation.input_gradient, Direction::input_gradient, 1, 4 * r.copies);
  }
  return {operation};
}

/// Operands of the first product are kept.
Operation with_operands(const Share& share, const Routed& r, Operation operation) {
  operation.saved = r.copies * as_double(row_width(share)) * share.operand;
  if (offloads(share, OffloadedInput::first_expert_product)) operation.leaves = operation.saved;
  return operation;
}

/// Results are kept for the gradient of the router's weights where those multiply them.
Operation with_results(const Share& share, Operation operation, double results) {
  if (share.options.kernels.routed == RoutedWeights::results) operation.saved = results;
  return operation;
}

Operations sorted(const Share& share, const Routed& r) {
  const double rows = r.copies * row_bytes(share);
  return {order(share, r), permute(share, rows, rows)};
}

Operation within_experts(const Share& share, const Routed& r, bool there) {
  if (share.options.expert_tensor == 1) return {.part = Part::experts};
  return gathering(Axis::expert_tensor, r.copies * row_bytes(share), there);
}

Operations sent_once_to_experts(const Share& share, const Routed& r) {
  const double rows = r.copies * row_bytes(share);
  Operations operations{order(share, r), exchange(share, r, true), within_experts(share, r, true)};
  if (!is_hybridep(share))
    operations.push_back(order(share, r, kernels_of_marks + kernels_of_order));
  operations.push_back(with_operands(share, r, permute(share, come_once(share, r), rows)));
  return operations;
}

/// What goes on before rows are sent; graphs.cpp.
Operations preprocessed(const Share& share, Operations operations) {
  if (!share.options.rows.by_all_to_all) return operations;
  return captured(share, GraphedModule::moe_preprocess, std::move(operations));
}

Operations sent_to_experts(const Share& share, const Routed& r) {
  const double tokens = as_double(r.tokens) * row_bytes(share);
  Operations operations = preprocessed(
      share, {order(share, r, share.options.rows.by_all_to_all ? kernels_of_order : 1),
              with_operands(share, r, permute(share, tokens, r.sent * row_bytes(share)))});
  if (const double numbers = indexed_numbers(share, r); numbers > 0)
    add_masked_rows(share, numbers, operations.back());
  operations.push_back(exchange(share, r, true));
  append(operations, weights_exchange(share, r));
  operations.push_back(within_experts(share, r, true));
  if (!sorts(share, r)) return operations;
  append(operations, sorted(share, r));
  add_small(share, operations.back().input_gradient, Direction::input_gradient, 1, 4 * r.copies);
  return operations;
}

Operations gathered_to_experts(const Share& share, const Routed& r) {
  const double all = all_tokens(share, r);
  return {gathering(Axis::expert_block, all, true), order(share, r),
          with_operands(share, r, permute(share, all, r.copies * row_bytes(share)))};
}

Operations way_to_experts(const Share& share, const Routed& r) {
  if (exchanges(share) && share.options.gathers_tokens) return gathered_to_experts(share, r);
  return sends_once(share) ? sent_once_to_experts(share, r) : sent_to_experts(share, r);
}

}  // namespace

const Experts& experts_of(const Share& share) {
  return required(share.shape.experts, "a block of experts has some");
}

int64_t row_width(const Share& share) {
  const int64_t latent = experts_of(share).latent;
  return latent > 0 ? latent : share.shape.hidden;
}

bool exchanges(const Share& share) { return share.options.expert > 1; }

double map_bytes(const Share& share, const Routed& r) {
  return as_double(r.tokens) * as_double(experts_of(share).choices());
}

void add_small(const Share& share, std::vector<Work>& kernels, Direction direction, int count,
               double read) {
  const double written = 4 * as_double(experts_of(share).count);
  kernels.insert(kernels.end(), static_cast<size_t>(count),
                 stream(share, Kernel::elementwise, direction, read, written));
}

Operations to_experts(const Share& share, const Routed& r) {
  Operations operations;
  if (exchanges(share) && experts_of(share).capacity == 0)
    operations = preprocessed(share, {announcement(share, r)});
  append(operations, way_to_experts(share, r));
  append(operations, filling(share, r, true));
  return operations;
}

Operations from_experts(const Share& share, const Routed& r) {
  const double results = r.copies * row_bytes(share);
  Operations operations = filling(share, r, false);
  if (exchanges(share) && share.options.gathers_tokens) {
    append(operations, {with_results(share, permute(share, results, all_tokens(share, r)), results),
                        gathering(Axis::expert_block, all_tokens(share, r), false)});
    return operations;
  }
  if (sends_once(share)) {
    append(operations, {with_results(share, permute(share, results, come_once(share, r)), results),
                        within_experts(share, r, false), exchange(share, r, false)});
    return operations;
  }
  if (sorts(share, r)) append(operations, sorted(share, r));
  const double sent = r.sent * row_bytes(share);
  append(operations,
         {within_experts(share, r, false), exchange(share, r, false),
          with_results(share, permute(share, sent, as_double(r.tokens) * row_bytes(share)), sent)});
  if (const double numbers = indexed_numbers(share, r); numbers > 0)
    add_weighted_rows(share, numbers, operations.back());
  return operations;
}

}  // namespace pipewright::transformer
