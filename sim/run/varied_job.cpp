#include "run/varied_job.hpp"

#include "engine/contention.hpp"
#include "engine/engine.hpp"
#include "result/result.hpp"
#include "run/schedule_hardware.hpp"
#include "run/shared_links.hpp"
#include "run/unequal_batches.hpp"

namespace pipewright {
namespace {

Prices median_chips(Prices prices) {
  prices.slowdown.clear();
  return prices;
}

}  // namespace

VariedJob::VariedJob(const Prepared& prepared)
    : prepared_(prepared),
      program_(lower(prepared.lowering(prepared.folding))),
      median_(price(program_, median_chips(prepared.prices))) {
  if (!prepared.links.shared) return;
  const std::shared_ptr<LaidLinks> laid = laid_links(prepared, prepared.folding);
  op_routes_ =
      find_op_routes(program_, prepared.prices, mirror_of(prepared.grid, prepared.folding), *laid);
  if (prepared.prices.device_load) beside_ = beside_compute(program_);
}

std::optional<Time> VariedJob::iteration_time(const std::vector<double>& slowdown,
                                              const std::optional<Jitter>& jitter) const {
  if (prepared_.links.shared && !op_routes_) return {};
  const std::vector<Time> alone = durations(slowdown, jitter);
  Timeline timeline = simulate(program_, alone);
  if (op_routes_) {
    const Contention contention =
        find_contention(program_, prepared_.prices, alone, beside_, *op_routes_);
    const Time until = first_excess(contention, alone, timeline);
    if (until < longest_time && !contention.alike) return {};
    timeline = run_shared(until, std::move(timeline), program_, alone, contention);
  }
  return pipewright::iteration_time(program_, timeline, prepared_.schedule);
}

std::vector<Time> VariedJob::durations(const std::vector<double>& slowdown,
                                       const std::optional<Jitter>& jitter) const {
  std::vector<Time> durations = median_;
  slow_down(program_, slowdown, durations);
  adapt_to_hardware(prepared_.schedule, program_, durations);
  if (prepared_.lengths) apply_lengths(prepared_, program_, durations);
  if (jitter) apply_jitter(program_, *jitter, durations);
  return durations;
}

}  // namespace pipewright
