// Exports what an experiment lowers to as a trace that runs again: GOAL, which LogGOPSim runs, or
// Chakra, which ASTRA-sim runs.
//
// pass, optimizer step   a calc of its time, in whole ns, after the op before it on its lane
// message                send and recv with a tag of their own
// collective             Chakra: one of all its members. GOAL: messages: all_reduce, all_gather,
//                        reduce_scatter around a ring, broadcast and reduce along a chain,
//                        all_to_all between all pairs; a calc of no time before and after
// rank r                 device r; cpu 0 computes, cpu 1 communicates, cpu 2 is a second server
//
// Run again under alpha-beta it takes the same time where all times are whole ns and, in GOAL,
// nothing is collective: a collective there starts with each member rather than with the last, and
// takes what its messages take from device to device, not what NCCL was measured to take over all
// rails.
#pragma once

#include <ostream>

#include "experiment/experiment.hpp"
#include "interop/chakra_writer.hpp"
#include "machine/run_options.hpp"
#include "simulate/run.hpp"

namespace pipewright {

/// Throws InputError for what a trace, whose sends wait for nobody, cannot say: messages that hold
/// a device or a buffer, or leave while they are computed.
void export_goal(const Experiment& experiment, const config::Catalogue& catalogue,
                 RunOptions options, std::ostream& out);

/// The same; `sink` takes each rank's file.
void export_chakra(const Experiment& experiment, const config::Catalogue& catalogue,
                   RunOptions options, const chakra::Writer::Sink& sink);

}  // namespace pipewright
