// A program whose ranks share the cores of their hosts, and the memory.
//
// Assumption: n threads that are busy on c cores each go on at the rate min(1, c / n): the
//   scheduler shares time fairly, in turns that are short against an op.
// What occupies a core: compute, and on threads also the copying of messages and the sums of
//   collectives; of processes messages take the time that the network gives them.
// Memory: what runs at once and would together take more than its bandwidth goes on at the rate at
//   which it just fills it, all alike (op_times.hpp). The partitions of a GPU share it, too.
// Limits: other programs on the host are not known of.
#pragma once

#include <vector>

#include "calibrate/live/executor/op_times.hpp"
#include "engine/timeline.hpp"
#include "program/program.hpp"

namespace pipewright::live {

/// Simulates the program on threads of one host. Throws Failure as simulate does.
Timeline simulate_on_cores(const Program& program, const OpTimes& times, int cores);

/// Every rank on a partition of one GPU that no other uses.
Timeline simulate_on_partitions(const Program& program, const OpTimes& times);

/// The hosts on which ranks that are processes run.
struct Hosts {
  std::vector<uint32_t> of_rank;
  std::vector<int> cores;  ///< by host

  /// Ranks of the same host before this one.
  int place(uint32_t rank) const;
  /// Ranks of its host, itself among them.
  int ranks_beside(uint32_t rank) const;
  /// Returns how many of those have a core each at the same time.
  int at_once(uint32_t rank) const;
  /// Returns the most ranks of a host.
  int most_ranks() const;
  /// Returns in how many turns all ranks compute, each on a core of its own and at_once().
  int turns() const;
  /// Tells whether the rank computes in that turn; in the last one some do for the second time.
  bool computes(uint32_t rank, int turn) const;
};

/// The same where only compute occupies a core, and ranks are processes on `hosts`.
Timeline simulate_on_hosts(const Program& program, const OpTimes& times, const Hosts& hosts);

}  // namespace pipewright::live
