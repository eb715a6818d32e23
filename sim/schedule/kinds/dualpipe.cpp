// DualPipe (DeepSeek-V3, arXiv 2412.19437, section 3.2): micro-batches enter at both ends of the
// pipeline, and F of one direction runs overlapped with B of the other.
//
// Rank i holds stages i and p-1-i. Micro-batches 0 .. m/2-1 enter at rank 0, m/2 .. m-1 at rank
// p-1. The eight steps are in dual_steps.cpp, with h = p/2, r = min(i, p-1-i), n = m/2.
// p+1 micro-batches from F to W on every rank; one weight version, but two copies of each stage,
// whose gradients are summed. With tFB the time of a pair, tB <= tFB <= tF + tB, tF = tI = tW and
// no hop latency:
//   makespan - work = (p/2 - 1)(tFB + tB - 3tW) on the ranks with the least work;
// for unequal times it is off by a few units either way.
// p even, m even, m >= 2p.
//
// Option overlap: true (pairs: both receives before, both sends after; of a model without a time
// for the pair, F, then B in between, as DeepSeek's module without an overlapped pass runs them) or
// false (no pairs: each pass receives and sends by itself).
#include <fmt/format.h>

#include <algorithm>

#include "schedule/dual_steps.hpp"
#include "schedule/kinds/registry.hpp"

namespace pipewright::schedule {
namespace {

Schedule build_dualpipe(const Shape& shape, const config::Value& options) {
  const config::Fields fields = fields_of(kind::dualpipe, options);
  const bool overlap = fields.boolean("overlap", true);
  const int p = shape.ranks, m = shape.micro_batches;
  if (p % 2 != 0) options.misfit(fmt::format("dualpipe needs an even number of ranks, not {}", p));
  if (m % 2 != 0 || m < 2 * p) {
    options.misfit(fmt::format(
        "dualpipe needs an even number of micro-batches, at least twice its {} ranks: {} or more, "
        "not {}",
        p, 2 * p, m));
  }
  Schedule schedule = make(shape, p);
  for (int i = 0; i < p; ++i) {
    const int r = std::min(i, p - 1 - i);
    const int near_first = i < p / 2 ? 0 : m / 2;
    append_dual_steps(schedule.order[i], {.near = {r, near_first},
                                          .far = {p - 1 - r, m / 2 - near_first},
                                          .half = p / 2,
                                          .position = r,
                                          .micro_batches = m / 2,
                                          .overlap = overlap});
  }
  repeat_iterations(schedule);
  return schedule;
}

}  // namespace

const Kind kind::dualpipe{
    .name = "dualpipe",
    .aliases = {},
    .summary = "from both ends at once, F overlapped with B; two copies of every stage",
    .build = build_dualpipe,
    .options = {{"overlap",
                 "true or false",
                 "true",
                 "A forward and a backward of the two directions run as an overlapped pair.",
                 {}}}};

}  // namespace pipewright::schedule
