// One drawn history of a job whose nodes fail: work, checkpoints, failures, restarts, repairs.
//
// Each of the job's devices fails at random at a rate of 1 / device_mtbf and takes its node along;
// while a node is missing, its devices do not fail. A failure stops the run, which goes back to
//   its last checkpoint, which counts once it is written (`write`)
//   its last copy in hosts' memory, unless the node that has the other copy fails during the
//   restart its last whole iteration, where an elastic job has all of its state on the replicas
//   that are left
// and goes on after restart_time. Failures stop checkpoints and restarts too. A node that failed
// stands by again after repair_time, or takes its missing place at once and without a restart.
// Without spares, repairs, writes and copies the expected share of work that counts is that of
// run/goodput.hpp.
// Left out: failures that come in groups, spares that fail while they stand by, slower spares.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <set>

namespace pipewright {

/// What a history draws on. Times in seconds, work in seconds at full speed.
struct FailureRates {
  double node_mtbf = 0;
  int nodes = 1, spares = 0;
  double interval = 0, checkpoint = 0, write = 0;
  double memory_interval = 0, memory = 0;  ///< copies in hosts' memory; interval 0: none
  double restart = 0, repair = 0;
  double iteration = 0;  ///< at whose end replicas hold all state; 0: they do not
  double time = 0;       ///< of the history
  std::function<double(const std::set<int>&)> speed;  ///< without these nodes, of the full one
};

/// Where the time of a history goes.
enum class FailureShare : uint8_t { useful, checkpoints, lost, restarts, waiting, missing };
inline constexpr int failure_shares = 6;

struct FailureHistory {
  std::array<double, failure_shares> seconds{};  ///< add up to the time of the history
  int64_t failures = 0;

  double& operator[](FailureShare share) { return seconds[static_cast<size_t>(share)]; }
  double operator[](FailureShare share) const { return seconds[static_cast<size_t>(share)]; }
};

FailureHistory draw_history(const FailureRates& rates, uint64_t seed);

}  // namespace pipewright
