// The goodput that failures leave: checkpoints, work done again, restarts.
//
// Assumption: each of N devices fails at random at a rate of 1 / device_mtbf, any failure stops the
// run, which starts again from its last checkpoint after restart_time; checkpoints and restarts can
// fail too; whatever runs, checkpoints stop it. With M = device_mtbf / N, interval t of work
// between checkpoints, c a checkpoint, r a restart, all in seconds:
//   time for t of work = M exp(r / M) (exp((t + c) / M) - 1)
//   goodput = t / that
// which is the exact expectation (Daly, Future Generation Computer Systems 22, 2006, eq. 20). It is
// largest where exp((t + c) / M) (1 - t / M) = 1; Young's sqrt(2 c M) is its limit for small c / M.
// Not modelled: failures that come in groups, spares that are slower, checkpoints beside compute.
#pragma once

#include "experiment/options.hpp"

namespace pipewright {

/// The share of the time in which `devices` get work done that is not lost; 0 where it rounds to
/// that. `interval_s` above 0.
double goodput(const Failures& failures, int devices, double interval_s);

/// The interval between checkpoints at which goodput is largest, in seconds; 0 where checkpoints
/// take no time.
double best_interval(const Failures& failures, int devices);

/// Goodput at the interval that was given, or at the best.
double goodput(const Failures& failures, int devices);

}  // namespace pipewright
