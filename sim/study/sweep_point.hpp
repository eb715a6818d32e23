// One point of a study, simulated.
#pragma once

#include "machine/run_options.hpp"
#include "result/sweep_run.hpp"
#include "simulate/run.hpp"
#include "study/study_file.hpp"

namespace pipewright {

/// Returns what is known of a point before it runs.
SweepRun described(const Study& study, const StudyPoint& point);

/// `run` with the reason why there is no result.
SweepRun refused(SweepRun run, const std::string& reason);

/// A combination that cannot be carries its reason. Throws the InputError of a point that is wrong
/// in itself. The same bytes whenever and wherever it runs.
SweepRun simulated(const Study& study, const StudyPoint& point, const config::Catalogue& catalogue,
                   const RunOptions& options);

}  // namespace pipewright
