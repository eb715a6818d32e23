// BaPipe (arXiv 2012.12544): a balanced partition under each schedule that the devices can run.
//
// Assumption: no tensor parallelism; stages are balanced by what their layers cost on their own
//   devices; devices that stream (FPGAs) run 1F1B-AS or FBP-AS, others 1F1B-SNO or 1F1B-SO (eager
//   1F1B); replicas share the batch.
// Estimate: (m + p - 1) max(F + B) and the step, by study/estimate.hpp.
// Search: all depths and micro-batches of powers of two; in the order of the estimate, the best of
//   those that fit, as simulated.
// Limits: a layer is split between two devices in pieces of one size, and only where the experiment
//   says so (partition: {pieces: 4}); the paper's fractions are free.
#include <algorithm>

#include "search/registry.hpp"
#include "search/space.hpp"

namespace pipewright::search {
namespace {

Proposal propose(const Problem& problem) {
  std::vector<config::Value> schedules = {schedule_named("1f1b-sno"), schedule_named("eager-1f1b")};
  if (given_by(problem).fpga) schedules = {schedule_named("1f1b-as"), schedule_named("fbp-as")};
  std::vector<Candidate> all = pipelines(problem, schedules, {"none"});
  for (Candidate& c : all) c.split = split_of(problem, Split::balanced);
  std::vector<Estimated> ordered = estimated(problem, all);
  std::stable_sort(ordered.begin(), ordered.end(),
                   [](const Estimated& a, const Estimated& b) { return a.estimate < b.estimate; });
  return best_of(problem, ordered, static_cast<size_t>(problem.simulations));
}

}  // namespace

const Planner planner::bapipe{"bapipe", "balanced partition, schedule exploration (BaPipe)",
                              propose};

}  // namespace pipewright::search
