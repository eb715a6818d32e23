// What an experiment lowers to, as a GOAL trace that LogGOPSim and `trace: {goal: FILE}` run.
//
// pass, optimizer step   calc of its time, in whole ns, after the op before it on its lane
// message                send and recv with a tag of their own
// collective             messages: all_reduce, all_gather, reduce_scatter around a ring, broadcast
//                        and reduce along a chain, all_to_all between all pairs; a calc of no time
//                        before and after
// rank r                 device r; cpu 0 computes, cpu 1 communicates, cpu 2 is a second server
//
// Run again under alpha-beta it takes the same time where all times are whole ns and nothing is
// collective. A collective there starts with each member rather than with the last, and takes what
// its messages take from device to device, not what NCCL was measured to take over all rails.
#pragma once

#include <ostream>

#include "program/program.hpp"
#include "study/experiment.hpp"
#include "study/run.hpp"
#include "topology/topology.hpp"

namespace pipewright {

/// Throws InputError for what GOAL, whose sends wait for nobody, cannot say: messages that hold a
/// device or a buffer, or leave while they are computed.
void export_goal(const Experiment& experiment, const config::Catalogue& catalogue,
                 RunOptions options, std::ostream& out);

/// The same for a program in which every device has a rank of its own. `topology` says which
/// members of a collective share a node.
void write_goal(const Program& program, std::span<const Time> durations, const Topology& topology,
                std::ostream& out);

}  // namespace pipewright
