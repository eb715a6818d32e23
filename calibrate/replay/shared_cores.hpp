// A program whose ranks share the cores of their hosts.
//
// Assumption: n threads that are busy on c cores each go on at the rate min(1, c / n): the
//   scheduler shares time fairly, in turns that are short against an op.
// What occupies a core: compute, and on threads also the copying of messages and the sums of
//   collectives; of processes messages take the time that the network gives them.
// Limits: caches and the memory bus are shared, too, and not modelled; other programs on the host
//   are not known of.
#pragma once

#include <span>
#include <vector>

#include "engine/timeline.hpp"
#include "program/program.hpp"

namespace pipewright::replay {

/// Op o takes `duration[o]` alone on a core. Throws Failure as simulate does.
Timeline simulate_on_cores(const Program& program, std::span<const Time> duration, int cores);

/// Where ranks that are processes run.
struct Hosts {
  std::vector<uint32_t> of_rank;
  std::vector<int> cores;  ///< by host

  /// Ranks of the same host before this one.
  int place(uint32_t rank) const;
  /// In how many turns all ranks compute alone, each on a core of its own.
  int turns() const;
};

/// The same where only compute occupies a core, and ranks are processes on `hosts`.
Timeline simulate_on_hosts(const Program& program, std::span<const Time> duration,
                           const Hosts& hosts);

}  // namespace pipewright::replay
