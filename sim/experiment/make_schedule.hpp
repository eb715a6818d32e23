// The schedule of an experiment.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "experiment/experiment.hpp"
#include "schedule/versions.hpp"

namespace pipewright {

/// The schedule that the experiment asks for, with `parallel.virtual` taken over.
schedule::Schedule make_schedule(const Experiment& experiment, const schedule::Shape& shape);

/// Settles `parallel.virtual` by the schedule that was made.
void settle_virtual(Experiment& experiment, const schedule::Schedule& schedule);

/// Weight versions and staleness by rank once an asynchronous schedule has run for a while.
std::vector<schedule::Versions> steady_versions(const Experiment& experiment, schedule::Shape shape,
                                                const schedule::Schedule& schedule);

}  // namespace pipewright
