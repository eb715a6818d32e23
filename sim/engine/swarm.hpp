// A swarm: peers that each serve one stage of a model, and micro-batches that find their way
// through them while they run (SWARM parallelism, Ryabinin et al., arXiv 2301.11913).
//
// Wiring: every stage gives the next task to the peer with the least expected work so far; what it
// then expects of it is its moving average of what that peer took. A peer that comes enters at the
// least. A backward pass returns to the peers of its forward pass; where one is gone another takes
// its place and is sent the input as well (backward recomputes). A peer runs backward tasks first,
// else in the order of arrival; it sends and receives one message at a time beside its computing.
// Preemption: peers leave after exponential times of mean `mtbf` and come back `downtime` later, to
// the busiest stage, whose weights they fetch; their tasks are wired anew.
// Rebalancing: every `rebalance` a peer of the least busy stage moves to the busiest one.
// A step ends once all micro-batches are back; the stages' gradients are reduced beside each other
// before the next begins.
// Not modelled: the search for peers (DHT), time-outs before a peer is known to be gone, averaging
// that a leaving peer interrupts, compression.
#pragma once

#include <functional>
#include <vector>

#include "base/units.hpp"

namespace pipewright {

/// What ends a step for one stage.
struct SwarmUpdateTime {
  Time reduce;  ///< the gradients are summed over the stage's peers
  Time step;    ///< then each peer updates its weights
  Time both() const { return reduce + step; }
};

struct SwarmPlan {
  std::vector<int> stage_of;  ///< by peer, at first
  int stages = 1, micro_batches = 1, steps = 1;
  int in_flight = 1;  ///< micro-batches in flight at most
  std::function<Time(int peer, int stage, bool backward)> compute;
  std::function<Time(int from, int to, Bytes bytes)> transfer;  ///< between two peers
  std::function<SwarmUpdateTime(int stage, const std::vector<int>& peers)> update;
  std::vector<Bytes> forward_output, backward_output, weights;  ///< by stage
  Time mtbf = longest_time, downtime, rebalance = longest_time;
  uint64_t seed = 0;
};

/// One pass of one micro-batch that ran to its end.
struct SwarmSpan {
  int peer = 0, stage = 0, micro_batch = 0;  ///< counted through all steps
  bool backward = false;
  Time start, end;
};

/// One message between two peers, from when its sender and its receiver are free for it.
struct SwarmMessage {
  int from = 0, to = 0;
  Bytes bytes;
  Time start, end;
  // The pass that it is for.
  int stage = 0, micro_batch = -1;  ///< -1: it brings the weights of the receiver's stage
  bool backward = false;
};

/// The update of one stage at the end of a step.
struct SwarmUpdate {
  int stage = 0;
  std::vector<int> peers;
  Bytes gradients;  ///< of one peer
  Time start;
  SwarmUpdateTime length;
};

struct SwarmRun {
  std::vector<SwarmSpan> spans;
  std::vector<SwarmMessage> messages;
  std::vector<SwarmUpdate> updates;
  std::vector<Time> step_ends;
  int preemptions = 0, moves = 0, repeated = 0;  ///< repeated: passes that a lost peer had begun
  uint64_t events = 0;
};

/// Throws Failure where nobody is left, and after 10^8 events.
SwarmRun run_swarm(const SwarmPlan& plan);

}  // namespace pipewright
