// The messages that stages hand to each other in a live run with real numbers.
#pragma once

#include <vector>

#include "kernels/kernels.hpp"
#include "schedule/schedule.hpp"

namespace pipewright::live {

/// The replicas of a stage that sends and of one that takes, who share out a micro-batch of so many
/// sequences each in its own way.
struct Resharded {
  int from = 1, to = 1;
  int takers = 1;   ///< ranks of a replica that takes, all of which take the same
  int sharers = 1;  ///< places of a replica, as many as ranks of any stage
  int sequences = 1;
};

/// A message lies where its sender put it until a transfer has copied it, or a stage on the same
/// rank takes it as it is. Each has a place of its own, so ranks need no lock; the program's
/// dependencies put send, transfer and take in order.
class Messages {
 public:
  Messages(const schedule::Schedule& schedule, int replicas);

  /// `action` is the pass that made it; a forward's goes to the next stage, any other's to the one
  /// before.
  void send(const schedule::Action& action, int replica, kernels::Array message);
  /// Returns what has arrived.
  const kernels::Tensor& transfer(const schedule::Action& action, int replica,
                                  kernels::Kernels& kernels);
  /// Gives every replica that takes its sequences, from the first sharer of those who have them.
  void reshard(const schedule::Action& action, const Resharded& between, kernels::Kernels& kernels);
  /// The two halves of a transfer between processes.
  kernels::Array leave(const schedule::Action& action, int replica);
  void deliver(const schedule::Action& action, int replica, kernels::Array message);
  /// Returns what `action` works on.
  kernels::Array take(const schedule::Action& action, int replica);

 private:
  size_t index(const schedule::Action& action, int sender, int replica) const;
  size_t micro_batches_, slices_, replicas_;
  std::vector<kernels::Array> sent_, received_;
};

}  // namespace pipewright::live
