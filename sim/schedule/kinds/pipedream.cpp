// PipeDream (arXiv 1806.03377): asynchronous 1F1B with weight stashing, a step after every
// micro-batch.
//
// Stage i runs w = p-1-i forwards once, then F and B in turn for ever. F of micro-batch b reads
// version max(0, b-w), its B the same, stashed version; so p-i versions are held and in steady
// state a gradient is applied p-1-i steps after the version it was computed with. In flight p-i.
// Steady period per micro-batch: max_i(F_i + B_i) without latency; uniform with hop latency c:
//   tF + tB + 2c(p-1)/p.
// Option vertical_sync: every stage uses the version that stage 0 used, max(0, b-p+1): p versions
// and delay p-1 everywhere.
// Not modelled: replicated stages, whose warm-up and routing differ.
#include <algorithm>

#include "schedule/asynchronous.hpp"
#include "schedule/kinds/registry.hpp"

namespace pipewright::schedule {
namespace {

Schedule build_pipedream(const Shape& shape, const config::Value& options) {
  const config::Fields fields = fields_of(kind::pipedream, options);
  Schedule schedule = endless_one_f_one_b(shape, 1);
  if (fields.boolean("vertical_sync", false)) {
    read_versions(schedule, [&](int b) { return std::max(0, b - shape.ranks + 1); });
  } else {
    read_newest(schedule, BackwardReads::stashed);
  }
  return schedule;
}

}  // namespace

const Kind kind::pipedream{
    .name = "pipedream",
    .aliases = {},
    .summary = "asynchronous 1F1B with weight stashing; p - i weight versions",
    .build = build_pipedream,
    .options = {{"vertical_sync",
                 "true or false",
                 "false",
                 "Every stage uses the weight version that the first stage used.",
                 {}}}};

}  // namespace pipewright::schedule
