// BaPipe's 1F1B-SNO (arXiv 2012.12544): 1F1B on devices that send after computing, without overlap.
//
// The order of 1F1B; a send holds its sender (Schedule::sends). With SR the length of a send,
// uniform stages, p >= 3, m >= 2:
//   T = (m + p - 1)(tF + tB) + SR (2 (m + p - 2) - 1).
// BaPipe gives 2 SR (m + p - 2), one send more. Rank p-2, whose steps are the longest, waits before
// its last backward for the last rank, which sends once a step and not twice.
// In flight min(m, p-i), one weight version.
#include "schedule/kinds/registry.hpp"
#include "schedule/one_f_one_b.hpp"

namespace pipewright::schedule {
namespace {

Schedule build_one_f_one_b_sno(const Shape& shape, const config::Value& options) {
  fields_of(kind::one_f_one_b_sno, options);  // it has none
  Schedule schedule = one_f_one_b_schedule(shape);
  schedule.sends = Sends::blocking;
  return schedule;
}

}  // namespace

const Kind kind::one_f_one_b_sno{
    "1f1b-sno", {}, "1F1B on devices that send after they compute (BaPipe)", build_one_f_one_b_sno};

}  // namespace pipewright::schedule
