// A trace of our own as operations of passes.
//
// Pieces of a pass, between which its collectives stand, are one operation from the first start to
// the last end. Passes that overlap on a rank (the pairs of DualPipe) take its time one after the
// other, each as much of it as it computes. Of a tensor group the first rank stands for all. What
// data ranks sum beside passes counts from the end of the last one on.
#pragma once

#include "diagnose/job_trace.hpp"
#include "interop/run_trace.hpp"

namespace pipewright::diagnose {

JobTrace job_of(const RunTrace& trace);

}  // namespace pipewright::diagnose
