// Runs a program in virtual time.
#pragma once

#include <span>

#include "engine/timeline.hpp"
#include "program/program.hpp"

namespace pipewright {

/// Runs `program`, op o taking `duration[o]`. Throws Failure with the ranks and ops of the wait-for
/// cycle when the program cannot end.
Timeline simulate(const Program& program, std::span<const Time> duration);

struct Contention;
struct PacketCounts;

/// Tells whether what follows what is settled in all its lanes before it runs.
bool all_in_order(const Program& program);

/// The decisions that were left open in a program with ready_first or matching lanes.
struct Decisions {
  struct Received {
    OpId message, receiver;
  };
  std::vector<OpId> lane_ops;      ///< as in Program, ready_first lanes in the order of starting
  std::vector<Received> received;  ///< in matching lanes
};

/// The discrete-event run, for any lane policy: what happens at one time happens in order of op id.
/// With `contention`, what moves bytes takes longer than its duration where others move theirs over
/// the same links; `packets` is told what became of packets.
Timeline run_events(const Program& program, std::span<const Time> duration,
                    Decisions* decisions = nullptr, const Contention* contention = nullptr,
                    PacketCounts* packets = nullptr);

/// The same where what ends by `until` does so as in `alone`; `alone` itself where that is never.
/// An op of a lane may have been chosen before another because of what it now waits for, so a
/// program with such lanes is run from its beginning.
Timeline run_shared(Time until, Timeline alone, const Program& program,
                    std::span<const Time> duration, const Contention& contention);

/// The same for a program in which every lane is in order: only what does not end by `until` is
/// run, where that is less than half of it.
Timeline run_from(Time until, Timeline alone, const Program& program,
                  std::span<const Time> duration, const Contention& contention);

/// The program as it ran: every lane in the order of `decisions` and every receiver bound to its
/// message, so that the order of all ops follows from the program alone. Ops keep their ids.
Program settle(Program open, const Decisions& decisions);

/// The same result where every lane is in order and no op's length depends on another: each op
/// starts at the latest end of what precedes it, so ops may be visited in any topological order and
/// no heap is needed.
Timeline run_longest_path(const Program& program, std::span<const Time> duration);

/// The wait-for cycle among the ops that have not ended, in words: "rank 0 waits at 0F1 for ...".
std::string describe_deadlock(const Program& program, const std::vector<bool>& ended);

}  // namespace pipewright
