// What some models put around attention's core: norms of queries and keys, a gate on the output.
//
// Norms by head have one gain of a head's width for queries and one for keys, on every device
// (Gemma 3, Qwen 3), or none (Llama 4's L2 norm); Gemma 4 norms heads of values without a gain too;
// a norm over all heads (OLMo 2) has a gain for every number, and devices of a tensor group sum the
// squares of a row, 4 bytes for queries and 4 for keys a token. Its result is kept beside its
// input, which the projections keep. The gate is a sigmoid of as many numbers as the heads give
// out (Qwen3-Next), or of one for each head (Step 3.5), made with the queries.
#include "base/units.hpp"
#include "workload/transformer/core.hpp"
#include "workload/transformer/eager.hpp"

namespace pipewright::transformer {

/// `borrows`: keys and values come from an earlier block as they are.
Operation head_norms(const Share& share, const Core& core, bool borrows) {
  const AttentionDimensions& shape = share.shape.attention;
  const int64_t values = shape.value_norm ? core.kv_heads * core.value : 0;
  const int64_t keys = borrows ? 0 : core.kv_heads * core.query + values;
  const double bytes = share.bytes(core.query_width() + keys), numbers = bytes / share.element;
  Operation operation{.part = Part::inner_norm};
  operation.forward = {norm_pass(share, Direction::forward, numbers, bytes, bytes)};
  operation.input_gradient = {
      norm_pass(share, Direction::input_gradient, numbers, 2 * bytes, bytes)};
  operation.saved = bytes + eager_norm_kept(share, numbers);
  if (shape.norm == HeadNorm::head)
    operation.parameters = operation.device_parameters = (borrows ? 1 : 2) * as_double(core.query);
  if (shape.norm != HeadNorm::width) return operation;
  operation.parameters = as_double((shape.heads + shape.kv_heads) * core.query);
  operation.device_parameters = as_double((core.heads + core.kv_heads) * core.query);
  sum_squares(share, operation, 2);
  return operation;
}

Operation head_gate(const Share& share, const Core& core) {
  const double bytes = share.bytes(core.context_width());
  const double gate = share.bytes(core.heads * share.shape.attention.gates(core.value));
  Operation operation{.part = Part::attention};
  operation.forward = {stream(share, Kernel::elementwise, Direction::forward, bytes + gate, bytes)};
  operation.input_gradient = {stream(share, Kernel::elementwise, Direction::input_gradient,
                                     2 * bytes + gate, bytes + gate)};
  operation.saved = bytes;  // what enters it; the gate is kept with the projections
  return operation;
}

}  // namespace pipewright::transformer
