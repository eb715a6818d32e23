// How causes name ranks.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "diagnose/measured_job.hpp"

namespace pipewright::diagnose {

/// Ranks by data rank and stage.
using RankPlaces = std::vector<std::pair<int, int>>;

/// "data rank 1", "stages 0-3", of ascending numbers.
std::string counted_name(std::string_view what, const std::vector<int>& numbers);

/// "data rank 1, stage 2", "data ranks 3 and 8-15, stage 0; data rank 1, stage 2". Of replicas that
/// are alike and stand once in the trace it says how many there are.
std::string ranks_name(const MeasuredJob& job, RankPlaces places);

/// The devices of these ranks, ascending, as far as the trace tells them. `of_groups`: all devices
/// of their tensor and context groups.
std::vector<int> devices_of(const MeasuredJob& job, const RankPlaces& places, bool of_groups);

}  // namespace pipewright::diagnose
