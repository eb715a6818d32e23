// Interleaved zero bubble (torch.distributed.pipelining, ScheduleInterleavedZeroBubble): ZB-H1's
// pattern over v chunks of the model on every rank.
//
// Rank i holds the stages i, p + i, ..., (v-1)p + i. Micro-batches go in r = max(1, m div p) rounds
// of g = m / r, which must be whole, as in interleaved 1F1B. Warm-up (p-1-i) + (v-1)g forwards,
// then F and I in turn; behind I number k >= i comes the oldest W; at last the W's that are left.
// In flight min(mv, w + 1) of one chunk each from F to I, with w the warm-up, and at most i more to
// W. One weight version. v = 1 is ZB-H1. There is no closed form of its makespan. Options: virtual
// (v, default 2).
#include "schedule/interleaved.hpp"
#include "schedule/kinds/registry.hpp"
#include "schedule/kinds/shared_options.hpp"

namespace pipewright::schedule {
namespace {

constexpr int default_zb_chunks = 2;

/// Splits every backward in its halves. The second half of the oldest follows from number
/// `weights_from` on.
Order with_split_backwards(const Order& order, size_t weights_from) {
  Order result, gradients;
  size_t next = 0;
  const auto append_weights = [&] {
    const Action& oldest = gradients[next++];
    result.push_back(weight_gradient(oldest.stage, oldest.micro_batch));
  };
  for (const Action& action : order) {
    if (action.pass != Pass::backward) {
      result.push_back(action);
      continue;
    }
    result.push_back(input_gradient(action.stage, action.micro_batch));
    gradients.push_back(action);
    if (gradients.size() > weights_from) append_weights();
  }
  while (next < gradients.size()) append_weights();
  return result;
}

Schedule build_interleaved_zb(const Shape& shape, const config::Value& options) {
  const config::Fields fields = fields_of(kind::interleaved_zb, options);
  const Interleaving in = read_torch_interleaving(shape, fields, default_zb_chunks);
  Schedule schedule = interleaved_schedule(
      shape, in, 1, [&](int i) { return shape.ranks - 1 - i + (in.chunks - 1) * in.group; });
  for (int i = 0; i < shape.ranks; ++i) {
    Order& order = schedule.order[static_cast<size_t>(i)];
    order = with_split_backwards(order, static_cast<size_t>(i));
  }
  repeat_iterations(schedule);
  return schedule;
}

}  // namespace

const Kind kind::interleaved_zb{
    .name = "interleaved-zb",
    .aliases = {"InterleavedZeroBubble"},
    .summary = "ZB-H1 over several chunks of the model a rank, as PyTorch has it",
    .build = build_interleaved_zb,
    .options = {virtual_option("2")}};

}  // namespace pipewright::schedule
