// The peers of a swarm and what is known of them. Internal to swarm.cpp and its parts.
#pragma once

#include <deque>
#include <vector>

#include "engine/swarm_events.hpp"

namespace pipewright::swarm {

struct Peer {
  int stage = 0;
  bool present = true;
  bool ready = true;   ///< it has its stage's weights
  uint32_t epoch = 0;  ///< counts how often what it did was given up
  Time send_free, receive_free;
  std::deque<Task> forwards, backwards;
  bool busy = false;
  Task running;
  Time started;
  double expected = 0;  ///< seconds of work given to it so far
  double average = 0;   ///< seconds a task took

  void queue(const Task& task) { (task.backward ? backwards : forwards).push_back(task); }
  /// Takes up its next task at `now`: backward tasks first. Returns false where it has none or is
  /// busy.
  bool start_next(Time now);
  /// Ends its task at `now`.
  void finish(Time now);
  /// Gives up all that it had to do. It is no longer ready.
  std::vector<Task> give_up();
  size_t tasks() const { return forwards.size() + backwards.size() + (busy ? 1 : 0); }
};

class Peers {
 public:
  Peers(const std::vector<int>& stage_of, int stages);

  int count() const { return static_cast<int>(peers_.size()); }
  Peer& operator[](int number) { return peers_[static_cast<size_t>(number)]; }
  const Peer& operator[](int number) const { return peers_[static_cast<size_t>(number)]; }

  /// Returns the peers of a stage that are present.
  std::vector<int> serving(int stage) const;
  /// Returns the ready peer of a stage that has least expected work; nobody where there is none.
  int least_expected(int stage) const;
  /// Returns the seconds that a task will take: as those before it, as on a peer of the same stage,
  /// or, as the authors' code has it, one.
  double expectation(int number) const;

  /// Tasks that wait for want of a peer.
  std::vector<Task>& waiting(int stage) { return waiting_[static_cast<size_t>(stage)]; }
  int busiest_stage() const;
  /// Returns the least busy stage that has a peer to spare; nobody where none has.
  int calmest_stage() const;
  /// Returns the queued and running tasks per peer; a stage without peers is the busiest there is.
  double load(int stage) const;

 private:
  std::vector<Peer> peers_;
  std::vector<std::vector<Task>> waiting_;  ///< by stage
};

}  // namespace pipewright::swarm
