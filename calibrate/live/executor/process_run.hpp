// Runs a program over processes: each does its rank's ops on threads and moves real bytes to the
// others, in the order that the program gives and nobody directs.
#pragma once

#include <functional>

#include "calibrate/live/executor/executor.hpp"
#include "calibrate/transport/session.hpp"

namespace pipewright::live {

/// Gets what had run when the run is ended early, as far as this rank had heard: the first rank
/// hears of all several times a second. Ops that had not ended have empty spans.
using KeepTimeline = std::function<void(const Timeline&)>;

/// Every rank comes here with the same program, of as many ranks as `session` has, and gets the
/// timeline of all, by the first rank's clock. `work` computes; messages have the sizes that the
/// program says. Throws Failure when ranks stop hearing of each other or nobody gets on, and for
/// collectives that it cannot carry out.
Timeline run_over_processes(const Program& program, DeviceWork& work, transport::Session& session,
                            const KeepTimeline& keep = {});

}  // namespace pipewright::live
