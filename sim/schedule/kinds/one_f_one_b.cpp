// 1F1B with flush (PipeDream-flush, arXiv 2006.09503; DAPPLE, arXiv 2007.01045).
//
// Stage i: min(p-1-i, m) forwards, then F and B in turn, then the last backwards. In flight
// min(m, p-i), one weight version. Uniform stages, hop latency c, p | m:
//   T = (m + p - 1)(tF + tB) + 2c[(p-1)(m/p + 1) - 1];  c = 0: any m.
// m < p is legal.
#include "schedule/one_f_one_b.hpp"

#include "schedule/kinds/registry.hpp"

namespace pipewright::schedule {

namespace {

Schedule build_one_f_one_b(const Shape& shape, const config::Value& options) {
  fields_of(kind::one_f_one_b, options);  // it has none
  return one_f_one_b_schedule(shape);
}

constexpr PlainPipeline plain_one_f_one_b{.ahead = one_f_one_b_ahead,
                                          .in_flight = one_f_one_b_in_flight};

}  // namespace

const Kind kind::one_f_one_b{
    .name = "1f1b",
    .aliases = {"dapple", "pipedream-flush", "1F1B"},
    .summary = "one forward, one backward in turn; p - i micro-batches in flight",
    .build = build_one_f_one_b,
    .plain = &plain_one_f_one_b};

}  // namespace pipewright::schedule
