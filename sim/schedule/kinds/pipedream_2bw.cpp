// PipeDream-2BW (arXiv 2006.09503): PipeDream's order with one step per m micro-batches and two
// weight versions.
//
// All micro-batches of batch t read W(t-1), batches 0 and 1 both W(0), forward and backward, on all
// stages; the update is W(t+1) = W(t) - lr grad(W(t-1)): two versions, delay 1. In flight
// min(m, p-i). Steady period per micro-batch as PipeDream's.
// Constraint: m >= p, or a forward would need weights that its own step is still to make.
#include <fmt/format.h>

#include <algorithm>

#include "schedule/asynchronous.hpp"
#include "schedule/kinds/registry.hpp"

namespace pipewright::schedule {
namespace {

Schedule build_pipedream_2bw(const Shape& shape, const config::Value& options) {
  fields_of(kind::pipedream_2bw, options);  // it has none
  const int m = shape.micro_batches;
  if (m < shape.ranks) {
    options.misfit(fmt::format(
        "pipedream-2bw needs at least as many micro-batches as ranks: {}, not {}", shape.ranks, m));
  }
  Schedule schedule = endless_one_f_one_b(shape, m);
  read_versions(schedule, [m](int b) { return std::max(0, b / m - 1); });
  return schedule;
}

}  // namespace

const Kind kind::pipedream_2bw{"pipedream-2bw",
                               {"2bw"},
                               "asynchronous 1F1B with two weight versions, one step per m",
                               build_pipedream_2bw};

}  // namespace pipewright::schedule
