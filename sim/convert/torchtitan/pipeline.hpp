// The pipeline of a torchtitan job: schedule, stages, micro-batches.
#pragma once

#include <optional>
#include <vector>

#include "convert/job/settings.hpp"

namespace pipewright::torchtitan {

struct Pipeline {
  int64_t ranks = 1, stages_of_a_rank = 1;
  std::string schedule = "1f1b";  ///< or torch-csv:FILE
  std::vector<int> partition;     ///< layers of each stage; empty without a pipeline
  int64_t micro = 1;              ///< sequences of a micro-batch
};

/// Reads what the job says. `layers` are the model's, `batch` is what a replica has at once.
Pipeline read_pipeline(job::Settings& settings, int64_t layers, int64_t batch);

/// What torchtitan calls a schedule.
struct ScheduleName {
  std::string_view theirs, ours;
  bool has_several_stages = false;  ///< of a rank
};

/// Schedules whose order a file says: one stage a rank, or several that are looped over the ranks.
inline constexpr std::string_view single_stages = "PipelineScheduleSingle";
inline constexpr std::string_view looped_stages = "PipelineScheduleMulti";

/// Returns the schedule that is called `ours` here, or nothing where torchtitan has no name for it.
std::optional<ScheduleName> schedule_named(std::string_view ours);

/// Returns the layers of each stage where the ends of the model count as so many layers.
std::vector<int> even_cut(int64_t layers, int64_t stages, int64_t first, int64_t last);

}  // namespace pipewright::torchtitan
