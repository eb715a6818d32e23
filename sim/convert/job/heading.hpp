// What stands at the head of a job that is written: what it does not say, and what a user adds.
#pragma once

#include "convert/job/round_trip.hpp"

namespace pipewright::job {

/// What is known of a job beside its experiment.
struct Background {
  const std::vector<std::string>& notes;  ///< of the import that the experiment came of
  const config::Value& carried;           ///< by that import, by format
};

/// Returns comments, a line each. What a user is to know at once is added to `remarks`.
std::string heading(const Experiment& experiment, const Writer& writer,
                    const Background& background, std::vector<std::string>& remarks);

}  // namespace pipewright::job
