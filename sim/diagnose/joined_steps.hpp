// Steps of a trace that run into each other: a rank that is done begins the next one while others
// have still to end theirs, as where no norm of all gradients holds them together. Where all wait
// for the last one each step stands by itself: what they wait is no gap of their hosts.
//
// Each by itself would blame the host of a rank that begins late, though it waits for its own step
// before; and what is cured in one step would bring nothing to the next. Joined, they are one step
// with iterations, and an iteration takes the time from the end of the one before it to its own.
#pragma once

#include "diagnose/measured_job.hpp"

namespace pipewright::diagnose {

/// Joins all steps where none begins well after the one before it has ended, and some before.
/// Clocks must be aligned.
void join_steps(MeasuredJob& job);

}  // namespace pipewright::diagnose
