// Which schedule of the list a trace's order of passes is.
//
// Every schedule that can serve the job's shape is built for it, and its orders are held against
// those of the trace: the distance is the number of passes that would have to be inserted, left out
// or exchanged. Where the trace does not tell apart the halves of a backward, neither does the
// comparison: passes of weight gradients alone are not looked for. Chunks of a rank are
// numbered by the stages of the model that they are, whatever their place in it.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "diagnose/measured_job.hpp"

namespace pipewright::diagnose {

struct RecognisedSchedule {
  std::string name = "unknown";  ///< as a user would write it, with its options
  size_t distance = 0;           ///< of the nearest schedule
  size_t passes = 0;             ///< of all ranks in a step
  std::string deviation;         ///< where the trace first does something else; empty: nowhere
  Placement placement;           ///< of the schedule; empty where none is recognised
  /// By rank and pass, whether it runs as one overlapped pair with the next; empty where the trace
  /// has another order.
  std::vector<std::vector<bool>> pairs{};
};

/// Looks at the first step, of each stage at the first data rank that the trace has; stages that it
/// lacks fit every order. A schedule that is more than a tenth of all
/// passes away is not that of the trace.
RecognisedSchedule recognise_schedule(const MeasuredJob& job);

/// The number of insertions, deletions and exchanges between two orders, but `most` where there are
/// that many or more.
size_t order_distance(std::span<const uint64_t> a, std::span<const uint64_t> b, size_t most);

}  // namespace pipewright::diagnose
