// Changes the times of a program as the devices do that its schedule is made for.
//
// Streams: output leaves while it is being computed, so a transfer is late only by what it takes
// longer than its producer.
//
// Two servers: a device is cut in two for good, one part for forwards and one for backwards, as an
// FPGA's DSPs are (BaPipe, arXiv 2012.12544, FBP-AS). The parts are as large as the work that they
// get, F : B, so that both are busy equally long: a pass takes (F + B) / F or (F + B) / B times as
// long as on the whole device, F and B the summed times of the rank. Where all micro-batches are
// alike every pass then takes the time of its forward and backward together. Not modelled: what the
// passes of one part gain from the memory bandwidth that the other leaves.
#include "run/schedule_hardware.hpp"

#include <algorithm>

namespace pipewright {
namespace {

/// Summed over a rank, in seconds.
struct PassTimes {
  double forward = 0, backward = 0;
  double stretch(bool is_forward) const {
    const double own = is_forward ? forward : backward;
    return own > 0 ? (forward + backward) / own : 1;
  }
};

void split_devices(const Program& program, std::vector<Time>& durations) {
  std::vector<PassTimes> sums(program.ranks.size());
  const auto is_forward = [&](OpId op) { return program.type(op).pass == schedule::Pass::forward; };
  const auto is_pass = [&](OpId op) { return program.type(op).kind == OpKind::compute; };
  for (OpId op = 0; op < program.ops.size(); ++op) {
    PassTimes& sum = sums[program.ops[op].rank];
    if (is_pass(op)) (is_forward(op) ? sum.forward : sum.backward) += in_seconds(durations[op]);
  }
  for (OpId op = 0; op < program.ops.size(); ++op) {
    const PassTimes& sum = sums[program.ops[op].rank];
    if (is_pass(op))
      durations[op] = seconds(in_seconds(durations[op]) * sum.stretch(is_forward(op)));
  }
}

void stream_transfers(const Program& program, std::vector<Time>& durations) {
  for (OpId op = 0; op < program.ops.size(); ++op) {
    if (program.type(op).kind != OpKind::compute) continue;
    for (const Edge edge : program.after(op)) {
      if (program.type(edge.to()).kind != OpKind::transfer) continue;
      Time& transfer = durations[edge.to()];
      transfer = std::max(Time{}, transfer - durations[op]);
    }
  }
}

}  // namespace

void adapt_to_hardware(const schedule::Schedule& schedule, const Program& program,
                       std::vector<Time>& durations) {
  if (schedule.parallel_passes) split_devices(program, durations);
  if (schedule.sends == schedule::Sends::streamed) stream_transfers(program, durations);
}

}  // namespace pipewright
