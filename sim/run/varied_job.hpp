// A job that is run again and again with other chips. What does not depend on its chips is found
// once: its program, what its ops take on median chips, and their routes.
#pragma once

#include <optional>
#include <vector>

#include "engine/beside_compute.hpp"
#include "engine/op_routes.hpp"
#include "run/jitter.hpp"
#include "run/prepared.hpp"

namespace pipewright {

/// May be used by threads.
class VariedJob {
 public:
  /// `prepared` must outlive it. Its routes are not drawn, and its folding holds for all chips.
  explicit VariedJob(const Prepared& prepared);

  /// Returns the iteration time where compute of device d takes `slowdown[d]` times as long, and
  /// each kernel what `jitter` makes of it. Empty where ranks that stand for others load links
  /// unequally, so that execute() has to simulate each. Throws Failure for a deadlock.
  std::optional<Time> iteration_time(const std::vector<double>& slowdown,
                                     const std::optional<Jitter>& jitter) const;

 private:
  /// Returns what each op takes alone.
  std::vector<Time> durations(const std::vector<double>& slowdown,
                              const std::optional<Jitter>& jitter) const;

  const Prepared& prepared_;
  Program program_;
  std::vector<Time> median_;  // by op, where no device is slow
  std::optional<OpRoutes> op_routes_;
  std::vector<RankBesideCompute> beside_;  // where ops share devices
};

}  // namespace pipewright
