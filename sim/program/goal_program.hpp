// A GOAL trace becomes a program.
//
// calc      an op of its length on the lane of its cpu
// send      an op of no length on the lane of its cpu, and the message, which holds nothing
// recv      an op of no length on no lane, after its message
// collective  of each member an op of no length before and one after the collective itself, which
//           holds no lane; only in traces other than GOAL
// requires  after the other's end;  irequires  after its start, which is an op of its own
// cpu       a ready_first lane: first ready first, ties by the order of the file
//
// Rank r is device r; nic means nothing. Messages match first-in first-out per (from, to, tag) in
// time, as in LogGOPSim and MPI: the k-th that is sent belongs to the k-th receive that becomes
// ready. A channel of several messages is therefore a matching lane and known only when it has run;
// settle() then turns it into dependencies. Sends of one instant go by the order in which their
// cpus reached them, then by that of the file.
#pragma once

#include "interop/goal.hpp"
#include "program/program.hpp"

namespace pipewright {

/// `channels` are those of `goal`. The rank's compute lane is that of the first cpu that
/// calculates; other cpus stand beside it.
Program lower_goal(const goal::Goal& goal, const goal::Channels& channels);

/// The op of `goal` that the op `op` of its program belongs to.
uint32_t goal_op(const goal::Goal& goal, OpId op);

}  // namespace pipewright
