// What candidates came to when they were simulated. Planners propose many of the same: each is
// simulated once.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <string>

#include "result/proposal.hpp"

namespace pipewright::search {

/// May be shared by threads.
class KnownRuns {
 public:
  /// Returns what `run` returns for `experiment`, or returned when it was asked for the first time.
  Proposal of(const config::Value& experiment, const std::function<Proposal()>& run);

 private:
  std::mutex mutex_;
  std::map<std::string, Proposal> runs_;  ///< by the experiment's text
};

}  // namespace pipewright::search
