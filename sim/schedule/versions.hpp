// Tells what a schedule's weight versions mean for memory and for the gradients.
#pragma once

#include "schedule/schedule.hpp"

namespace pipewright::schedule {

struct Versions {
  /// Weight versions held at once at most, the newest included. A version is held from the step
  /// that makes it to the next step, or to the last pass that reads it if that is later; a step
  /// writes over a version that nothing will read any more.
  int held = 1;
  /// Largest number of optimizer steps between the version that a micro-batch's passes read and the
  /// one its gradient is applied to. A predicted version is as old as the one it is predicted from.
  int staleness = 0;
};

/// Returns the number of iterations that show an asynchronous schedule in its steady state: after
/// the pipeline has filled and before it drains come micro-batches of whole iterations and, unless
/// those would be very many, of whole rounds of the ranks, in which the pattern that latencies make
/// repeats.
int steady_iterations(const Schedule& schedule);

/// Stages step after every micro-batch, each as soon as its own gradient is there: the first stage
/// makes a step a whole trip through the pipeline after the last stage makes the same one.
bool steps_apart(const Schedule& schedule);

/// Returns the versions by rank. A rank's stage makes step t as soon as the gradients of its own
/// micro-batches of step t (step_every of them over all ranks that hold the stage) are done.
std::vector<Versions> weight_versions(const Schedule& schedule);

}  // namespace pipewright::schedule
