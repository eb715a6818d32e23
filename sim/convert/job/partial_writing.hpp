// Jobs that are written without what their framework cannot say.
#pragma once

#include "convert/job/round_trip.hpp"

namespace pipewright::job {

/// Returns the job of `experiment` as write_job does, without the keys that the framework cannot
/// say: each is a comment at the head. Throws InputError where nothing that may be left out helps.
std::string write_partly(const Experiment& experiment, const config::Catalogue& catalogue,
                         const RunOptions& options, const Writer& writer);

}  // namespace pipewright::job
