// Runs a program over processes: each does its rank's ops on threads and moves real bytes to the
// others, in the order that the program gives and nobody directs.
#pragma once

#include "base/error.hpp"
#include "calibrate/replay/executor.hpp"
#include "calibrate/transport/session.hpp"

namespace pipewright::replay {

/// A run that was ended, with the spans that this rank had heard of: the first rank hears of all
/// several times a second. Ops that had not ended have empty spans.
struct Interrupted : Failure {
  Interrupted(const std::string& what, Timeline so_far)
      : Failure(what), timeline(std::move(so_far)) {}
  Timeline timeline;
};

/// Every rank comes here with the same program, of as many ranks as `session` has, and gets the
/// timeline of all, by the first rank's clock. `work` computes; messages have the sizes that the
/// program says. Throws Interrupted when ranks stop hearing of each other or nobody gets on, and
/// Failure for collectives that it cannot carry out.
Timeline run_over_processes(const Program& program, DeviceWork& work, transport::Session& session);

}  // namespace pipewright::replay
