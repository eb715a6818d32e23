// Jobs that are written without what their framework cannot say.
#pragma once

#include "base/several_errors.hpp"
#include "convert/job/round_trip.hpp"

namespace pipewright::job {

/// Returns the job of `experiment` as write_job does, without the keys that the framework cannot
/// say: each is a comment at the head. Throws InputError where nothing that may be left out helps.
std::string write_partly(const Experiment& experiment, const config::Catalogue& catalogue,
                         const RunOptions& options, const Writer& writer);

/// Returns the error of an `experiment` that write_job refuses, with a line for all else that the
/// framework cannot say, as far as it shows without what stops before it.
SeveralErrors all_that_stops(const Experiment& experiment, const config::Catalogue& catalogue,
                             const RunOptions& options, const Writer& writer);

}  // namespace pipewright::job
