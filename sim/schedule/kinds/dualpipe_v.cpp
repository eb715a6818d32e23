// DualPipeV (the "cut-in-half" of Sea AI Lab, in DeepSeek's DualPipe repository): DualPipe's steps
// on a V of two chunks a rank, so that every stage exists once.
//
// Rank i holds stages i and 2p-1-i; the steps are in dual_steps.cpp, with h = p, r = i, n = m, the
// far stream being each micro-batch's way back from the turn. 2p+1 chunks from F to W on every
// rank; one weight version. In times of a chunk, tFB the time of a pair, tB <= tFB <= tF + tB,
// tF = tI = tW and no hop latency:
//   makespan - work = (p - 1)(tFB + tB - 3tW) on the ranks with the least work.
// m >= 2p.
//
// Option overlap: true (pairs: both receives before, both sends after; of a model without a time
// for the pair, F, then B in between, as DeepSeek's module without an overlapped pass runs them) or
// false (no pairs: each pass receives and sends by itself).
#include <fmt/format.h>

#include "schedule/dual_steps.hpp"
#include "schedule/kinds/registry.hpp"

namespace pipewright::schedule {
namespace {

Schedule build_dualpipe_v(const Shape& shape, const config::Value& options) {
  const config::Fields fields = fields_of(kind::dualpipe_v, options);
  const bool overlap = fields.boolean("overlap", true);
  const int p = shape.ranks, m = shape.micro_batches;
  if (m < 2 * p) {
    options.misfit(fmt::format(
        "dualpipe-v needs at least twice as many micro-batches as ranks: {} or more, not {}", 2 * p,
        m));
  }
  Schedule schedule = make(shape, 2 * p);
  for (int i = 0; i < p; ++i) {
    append_dual_steps(schedule.order[i], {.near = {i, 0},
                                          .far = {2 * p - 1 - i, 0},
                                          .half = p,
                                          .position = i,
                                          .micro_batches = m,
                                          .overlap = overlap});
  }
  repeat_iterations(schedule);
  return schedule;
}

}  // namespace

const Kind kind::dualpipe_v{
    .name = "dualpipe-v",
    .aliases = {"DualPipeV"},
    .summary = "dualpipe on a V of two chunks a rank: one copy of every stage",
    .build = build_dualpipe_v,
    .options = {{"overlap",
                 "true or false",
                 "true",
                 "A forward and a backward of the two directions run as an overlapped pair.",
                 {}}}};

}  // namespace pipewright::schedule
