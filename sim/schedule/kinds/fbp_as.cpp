// BaPipe's FBP-AS (arXiv 2012.12544): a forward and a backward of different micro-batches run
// beside each other on the two parts of a device that also sends while it computes (FPGAs).
//
// Stage i: w = min(2(p-i)-1, m) forwards, then F(w+k) beside B(k) for k = 0, 1, ... (see
// Schedule::parallel_passes), then the last backwards. In flight min(m, 2(p-i)): twice 1F1B's. One
// weight version. With both parts taking the same time t for their pass, uniform stages:
//   T = (m + 2p - 1) t.
// The simulator gives F the share tF/(tF+tB) of the device, so t = tF + tB, the sum of the times
// that they take alone (sim/study/schedule_hardware.cpp); a rank is busy by halves of its device.
// BaPipe gives (m + p - 1)(tF + tB), as if a pass that runs alone while the pipeline fills and
// drains had the whole device; a part of it stays a part here.
#include "schedule/kinds/registry.hpp"
#include "schedule/one_f_one_b.hpp"

namespace pipewright::schedule {
namespace {

Schedule build_fbp_as(const Shape& shape, const config::Value& options) {
  fields_of(kind::fbp_as, options);  // it has none
  Schedule schedule = make(shape, shape.ranks);
  schedule.sends = Sends::streamed;
  schedule.parallel_passes = true;
  for (int i = 0; i < shape.ranks; ++i)
    append_one_f_one_b(schedule.order[i], i, 2 * (shape.ranks - i) - 1, shape.micro_batches);
  repeat_iterations(schedule);
  return schedule;
}

}  // namespace

const Kind kind::fbp_as{
    "fbp-as", {}, "forward and backward beside each other on one device (BaPipe)", build_fbp_as};

}  // namespace pipewright::schedule
