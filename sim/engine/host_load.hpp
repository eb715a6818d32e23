// How long the device of a stage waits for its host.
//
// A host starts kernels and collectives one after the other and runs ahead of its device. With D
// the time of the device in a pass, its collectives included, and I that of the host:
//   wait of a pass = f max(0, I - D)
//   f = min(1, sum(I - D) / sum(max(0, I - D)))   sums over all passes of the stage, by how often
// A host that is ahead in one pass has its lead in the next: f is below 1 where a stage's backward
// passes leave its host the time that its forward passes lack. f = 1 where the host waits for the
// device between passes (HostTimes::stops). Where tokens go to experts the host has to know how
// many come before it goes on: each op of the pass waits for itself, and no lead outlasts it. That
// is so where their counts are gathered: in forward passes, unless tokens above a capacity are
// dropped. Backward passes know them (Megatron-Core, moe/token_dispatcher.py,
// _maybe_dtoh_and_synchronize).
//
// Wrong for: a queue that is full (1024 launches ahead), collectives that run beside kernels (D
// counts both), a host that is ahead while its device waits for other stages.
#pragma once

#include <span>
#include <vector>

#include "base/units.hpp"
#include "engine/price.hpp"
#include "workload/work.hpp"

namespace pipewright {

/// What a pass takes of device and host.
struct HostLoad {
  Time busy;           ///< of the device, its collectives included
  Time issued;         ///< of the host, to start its kernels and collectives
  Time lacking;        ///< what the host takes longer, over the ops of which it does
  bool stops = false;  ///< the host waits for the device within the pass

  /// Adds an op of the pass.
  void add(Time op_busy, Time op_issued);
  HostLoad& operator+=(const HostLoad& other);

  /// What the host takes longer than the device.
  Time behind() const { return issued > busy ? issued - busy : Time{}; }
  /// What the device takes longer than the host.
  Time lead() const { return busy > issued ? busy - issued : Time{}; }
};

/// Returns the host's part in starting kernels.
Time host_time(std::span<const Work> works, const HostTimes& host);

/// Returns the f of the head of this file for a stage with passes of these loads, each of which
/// runs `often[k]` times; of empty `often`, once.
double waiting_part(std::span<const HostLoad> passes, std::span<const double> often,
                    const HostTimes& host);

/// Returns what each pass of a stage waits for its host where each runs as often.
std::vector<Time> host_waits(std::span<const HostLoad> passes, const HostTimes& host);

}  // namespace pipewright
