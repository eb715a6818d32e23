// Which peer of a swarm runs a task, and how its input gets there. Internal to swarm.cpp.
#pragma once

#include <map>

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
  /// Returns when `bytes` from one peer arrive at the other. Each sends and receives one message at
  /// a time.
  Time message(int from, int to, Bytes bytes);
  double bytes() const { return bytes_; }

 private:
  Bytes input_bytes(const Task& task) const;
  void send(const Task& task, int to, bool with_input);

  const SwarmPlan& plan_;
  Peers& peers_;
  Events& events_;
  std::map<int, std::vector<int>> path_;  ///< by micro-batch and stage: who ran its forward
  double bytes_ = 0;                      ///< that went between peers
};

}  // namespace pipewright::swarm
