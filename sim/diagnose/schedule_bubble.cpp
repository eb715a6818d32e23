#include "diagnose/schedule_bubble.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "diagnose/candidates.hpp"
#include "diagnose/what_if.hpp"
#include "engine/engine.hpp"
#include "result/accounts/accounts.hpp"

namespace pipewright::diagnose {

std::optional<Cause> schedule_bubble(const MeasuredJob& job, size_t step,
                                     const std::string& schedule) {
  if (job.stages == 1) return std::nullopt;
  const MeasuredProgram one = program_of(job, {step});
  const Timeline ideal = run_longest_path(one.program, ideal_lengths(one));
  const Time end = std::ranges::max_element(ideal.spans, {}, &Span::end)->end;
  const std::vector<Breakdown> by_rank =
      accounts(one.program, ideal, {Time{}, end, end}, MeasuredShares());
  const auto busiest = std::ranges::min_element(by_rank, {}, &Breakdown::bubble);
  const auto iterations = static_cast<double>(std::max<size_t>(one.run_on, 1));
  const double recovered = in_seconds(busiest->bubble) / iterations;
  if (recovered < smallest_cause * in_seconds(end) / iterations) return std::nullopt;
  return Cause{.kind = CauseKind::bubble,
               .who = schedule == "unknown" ? "the schedule" : schedule,
               .recovered_s = recovered,
               .beyond_peers = true,
               .remedy = fmt::format(
                   "more micro-batches than {}, more stages a rank or a schedule that fills its "
                   "bubble: 'compare' tells which, of the experiment that -o writes",
                   micro_batches(job))};
}

}  // namespace pipewright::diagnose
