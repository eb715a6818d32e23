// Which peer of a swarm runs a task, and how its input gets there. Internal to swarm.cpp.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "engine/swarm.hpp"
#include "engine/swarm_peers.hpp"

namespace pipewright::swarm {

class Wiring {
 public:
  Wiring(const SwarmPlan& plan, Peers& peers, Events& events)
      : plan_(plan), peers_(peers), events_(events) {}

  void begin(int micro_batch);
  void end(int micro_batch) { path_.erase(micro_batch); }
  /// Sends a task to a peer of its stage, or lets it wait for one.
  void wire(const Task& task);
  /// Returns when a message arrives, whose times are not known yet. A peer sends and receives one
  /// at a time.
  Time message(SwarmMessage message);
  std::vector<SwarmMessage> messages() { return std::move(messages_); }

 private:
  Bytes input_bytes(const Task& task) const;
  void send(const Task& task, int to, bool with_input);

  const SwarmPlan& plan_;
  Peers& peers_;
  Events& events_;
  std::map<int, std::vector<int>> path_;  ///< by micro-batch and stage: who ran its forward
  std::vector<SwarmMessage> messages_;
};

}  // namespace pipewright::swarm
