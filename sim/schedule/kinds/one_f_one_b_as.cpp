// BaPipe's 1F1B-AS (arXiv 2012.12544): 1F1B on devices that send while they compute (FPGAs).
//
// The order of 1F1B; a pass's output leaves as it is made (Schedule::sends), so a hop
// costs what its pass does not hide: nothing, T = (m + p - 1)(tF + tB), where passes of uniform
// stages take as long as their sends. In flight min(m, p-i), one weight version.
#include "schedule/kinds/registry.hpp"
#include "schedule/one_f_one_b.hpp"

namespace pipewright::schedule {
namespace {

Schedule build_one_f_one_b_as(const Shape& shape, const config::Value& options) {
  fields_of(kind::one_f_one_b_as, options);  // it has none
  Schedule schedule = one_f_one_b_schedule(shape);
  schedule.sends = Sends::streamed;
  return schedule;
}

}  // namespace

const Kind kind::one_f_one_b_as{
    "1f1b-as", {}, "1F1B on devices that send while they compute (BaPipe)", build_one_f_one_b_as};

}  // namespace pipewright::schedule
