// The summary that `simulate` prints: what was run, how long it takes and why, and
// what it needs.
#pragma once

#include <optional>

#include "report/text/report.hpp"
#include "result/run_result.hpp"

namespace pipewright {

struct SummaryOptions {
  size_t columns = 100;  ///< of the terminal
  /// With bounds, critical path, communication, the simulator's own time and what was not given.
  bool verbose = true;
  const config::Value* given = nullptr;  ///< the experiment as the user wrote it; may be null
  /// What the iteration would gain without each cost, where the result does not say.
  std::optional<IfFree> gains = {};
};

/// The summary says first what was run, then how long it takes, where the time and the memory go,
/// and last where its numbers come from.
Report summary_report(const Run& run, const SummaryOptions& options = {});

}  // namespace pipewright
