// Where torchtitan puts the stages of a pipeline, and schedules for which it has no name: their
// order lies in PyTorch's pipeline CSV.
#pragma once

#include <string>
#include <string_view>

#include "experiment/experiment.hpp"
#include "schedule/schedule.hpp"

namespace pipewright::torchtitan {

struct StagePlacement {
  std::string_view schedule;  ///< torchtitan's name of one that places its stages so
  int stages_of_a_rank = 1;
  std::string csv;  ///< the file that has the order; empty where the name says it
};

/// Returns the schedule's name in the experiment.
std::string schedule_of(const Experiment& experiment);

/// Returns the placement of the stages of `schedule`, whose order lies in the file `csv`. Throws
/// Misfit at `where` for what torchtitan cannot run from such a file.
StagePlacement placement_in_file(const schedule::Schedule& schedule, const std::string& csv,
                                 const config::Value& where);

}  // namespace pipewright::torchtitan
