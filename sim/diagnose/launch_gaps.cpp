#include "diagnose/launch_gaps.hpp"

#include <algorithm>
#include <vector>

namespace pipewright::diagnose {
namespace {

constexpr double smallest = 2e-3;  // of a step
constexpr double most = 0.8;       // of all that hosts cost

/// By op, whether it is a gap that nothing of its iteration comes before.
std::vector<bool> first_gaps(const MeasuredProgram& trace) {
  std::vector<bool> is_first(trace.lengths.size());
  for (const OpId gap : trace.begins) is_first[gap] = true;
  return is_first;
}

}  // namespace

std::vector<Cause> launch_gaps(const Evidence& evidence) {
  const MeasuredProgram& trace = evidence.trace;
  const std::vector<bool> is_first = first_gaps(trace);
  const auto run_without = [&](bool first, bool others) {
    std::vector<Time> lengths = trace.lengths;
    for (const OpId gap : trace.gap)
      if (is_first[gap] ? first : others) lengths[gap] = {};
    return mean_seconds(step_times(trace, lengths));
  };
  const double all = run_without(false, false), none = run_without(true, true);
  const double ideal = mean_seconds(step_times(trace, evidence.ideal));
  const double late_begin = all - run_without(true, false);
  const double late_others = all - run_without(false, true);
  const auto cause = [&](const char* who, double recovered, double attributed,
                         const char* remedy) -> Cause {
    return {.kind = CauseKind::host,
            .who = who,
            .recovered_s = recovered,
            .attributed_s = attributed,
            .share = share_of_excess(recovered, all - ideal, !evidence.has_peers()),
            .remedy = remedy};
  };
  const Cause begin = cause(late_begin_name, late_begin, late_begin,
                            "load data and log beside the step before: devices wait for the first "
                            "operation");
  const Cause others = cause(launch_gaps_name, late_others, all - none - late_begin,
                             "start kernels earlier: fewer and larger kernels, CUDA graphs, no "
                             "synchronisation");
  std::vector<Cause> found = {begin, others};
  // Where nearly all is one's, the other only hides a part of it.
  if (std::max(late_begin, late_others) >= most * (all - none)) {
    found = {late_begin > late_others ? begin : others};
    found.front().recovered_s = found.front().attributed_s = all - none;
    found.front().share = share_of_excess(all - none, all - ideal, !evidence.has_peers());
  }
  std::erase_if(found, [&](const Cause& one) { return one.recovered_s < smallest * all; });
  return found;
}

}  // namespace pipewright::diagnose
