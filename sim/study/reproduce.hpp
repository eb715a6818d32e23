// Puts the claims of a publication to the test.
//
// A claim is a ratio: how many times as good as its baseline a system is. Both are experiments that
// differ in the settings that the paper's file gives; where a side has alternatives (a baseline
// tuned as its users would), the best that fits in memory counts. Of several cases the claim's
// figure is the best for `up to`, else the median. What only numbers can show is trained or worked
// out live, by what the caller gives for that; of its cases the one farthest from the claim counts.
#pragma once

#include <functional>

#include "machine/run_options.hpp"
#include "simulate/run.hpp"
#include "study/paper.hpp"

namespace pipewright {

struct ReproduceOptions {
  RunOptions run;
  int jobs = 0;       ///< claims at a time; 0: as many as there are processors
  bool vary = false;  ///< also with the assumptions changed
  /// The cases of one of live_checks; empty where nothing can be run live.
  std::function<std::vector<ClaimCase>(const std::string& check)> live;
  /// Returns by planner how far within the frontier of `planner` its answer for the experiment is.
  std::function<std::vector<ClaimCase>(const config::Value& experiment, const std::string& planner)>
      plan;
  /// Is called after every claim, from any thread but never twice at once.
  std::function<void(size_t done)> progress = [](size_t) {};
};

/// The result does not depend on `jobs`.
std::vector<Reproduction> reproduce(const std::vector<Paper>& papers,
                                    const config::Catalogue& catalogue,
                                    const ReproduceOptions& options);

}  // namespace pipewright
