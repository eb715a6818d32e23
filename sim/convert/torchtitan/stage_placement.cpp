// After stage_ids_this_rank of torchtitan/distributed/pipeline_parallel.py: stages go round the
// ranks, or down and up again for the schedules that are V-shaped.
#include "convert/torchtitan/stage_placement.hpp"

#include <algorithm>
#include <vector>

#include "convert/torchtitan/pipeline.hpp"
#include "schedule/torch_csv.hpp"

namespace pipewright::torchtitan {
namespace {

/// Returns the rank of every stage.
std::vector<int> ranks_of(const schedule::Schedule& schedule, const config::Value& where) {
  std::vector<int> ranks(static_cast<size_t>(schedule.stages), -1);
  for (int rank = 0; rank < schedule.ranks(); ++rank)
    for (const schedule::Action& action : schedule.order[static_cast<size_t>(rank)]) {
      int& owner = ranks[static_cast<size_t>(action.stage)];
      if (owner >= 0 && owner != rank)
        where.misfit(
            "torchtitan cannot say this schedule: it has every stage on one rank, and here two "
            "have one");
      owner = rank;
    }
  return ranks;
}

std::string_view name_of(const std::vector<int>& ranks, int count, const config::Value& where) {
  const auto stages = static_cast<int>(ranks.size());
  bool loops = true, turns = stages == 2 * count;
  for (int stage = 0; stage < stages; ++stage) {
    const int rank = ranks[static_cast<size_t>(stage)];
    loops = loops && rank == stage % count;
    turns = turns && rank == std::min(stage, stages - 1 - stage);
  }
  if (stages == count && loops) return single_stages;
  if (loops) return looped_stages;
  if (!turns)
    where.misfit(
        "torchtitan cannot say this schedule: its stages go round the ranks, or down and up again");
  return "ZBVZeroBubble";
}

/// What a file of the order does not say is as in every schedule that is read from one.
void check_order_is_all(const schedule::Schedule& schedule, const config::Value& where) {
  if (!schedule.synchronous || schedule.step_every != schedule.micro_batches)
    where.misfit(
        "torchtitan cannot say this schedule: its optimizer waits for all micro-batches of an "
        "iteration");
  if (!schedule.evictions.empty() || !schedule.look_ahead.empty() || schedule.parallel_passes ||
      schedule.sends != schedule::Sends::as_asked)
    where.misfit("torchtitan cannot say this schedule: it is more than an order of passes");
}

}  // namespace

std::string schedule_of(const Experiment& experiment) {
  const config::Value& value = experiment.at("schedule");
  const config::Value* name = value.is_map() ? value.find("name") : &value;
  return name ? name->text : "";
}

StagePlacement placement_in_file(const schedule::Schedule& schedule, const std::string& csv,
                                 const config::Value& where) {
  check_order_is_all(schedule, where);
  return {name_of(ranks_of(schedule, where), schedule.ranks(), where), schedule.chunks(), csv};
}

}  // namespace pipewright::torchtitan
