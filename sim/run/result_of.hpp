// The result of a program that has run.
#pragma once

#include "result/run_result.hpp"
#include "run/executed.hpp"
#include "run/prepared.hpp"

namespace pipewright {

/// The detail in which a run is reported.
enum class Detail : uint8_t {
  times,       ///< what a search looks at: the iteration, how sure it is, and the memory
  numbers,     ///< communication and bounds, too
  everything,  ///< the busiest links, too, which take longer than the run
};

/// Returns what the timeline of a run of `prepared`'s program tells.
Metrics metrics_of(const Prepared& prepared, const Program& program, const Timeline& timeline,
                   Detail detail);

/// Returns what is reported of `executed`, a run of `prepared`, in virtual time or live. Leaves
/// RunResult::cost empty.
Run result_of(const Prepared& prepared, Executed executed, const Metrics* longer_run = nullptr,
              Detail detail = Detail::everything);

}  // namespace pipewright
