#include "engine/swarm_peers.hpp"

#include <limits>

namespace pipewright::swarm {
namespace {

constexpr double memory = 0.9;  // of the moving average

}  // namespace

bool Peer::start_next(Time now) {
  if (busy || (forwards.empty() && backwards.empty())) return false;
  std::deque<Task>& queue = backwards.empty() ? forwards : backwards;
  running = queue.front();
  queue.pop_front();
  busy = true;
  started = now;
  return true;
}

void Peer::finish(Time now) {
  busy = false;
  const double took = in_seconds(now - started);
  average = average == 0 ? took : memory * average + (1 - memory) * took;
}

std::vector<Task> Peer::give_up() {
  ++epoch;
  ready = false;
  std::vector<Task> tasks;
  if (busy) tasks.push_back(running);
  tasks.insert(tasks.end(), backwards.begin(), backwards.end());
  tasks.insert(tasks.end(), forwards.begin(), forwards.end());
  busy = false;
  forwards.clear();
  backwards.clear();
  return tasks;
}

Peers::Peers(const std::vector<int>& stage_of, int stages) : waiting_(static_cast<size_t>(stages)) {
  for (const int stage : stage_of) peers_.push_back({.stage = stage});
}

std::vector<int> Peers::serving(int stage) const {
  std::vector<int> all;
  for (int k = 0; k < count(); ++k)
    if ((*this)[k].present && (*this)[k].stage == stage) all.push_back(k);
  return all;
}

int Peers::least_expected(int stage) const {
  int best = nobody;
  for (const int k : serving(stage))
    if ((*this)[k].ready && (best == nobody || (*this)[k].expected < (*this)[best].expected))
      best = k;
  return best;
}

double Peers::expectation(int number) const {
  const Peer& peer = (*this)[number];
  if (peer.average > 0) return peer.average;
  for (const int other : serving(peer.stage))
    if ((*this)[other].average > 0) return (*this)[other].average;
  return 1;
}

double Peers::load(int stage) const {
  const std::vector<int> all = serving(stage);
  if (all.empty()) return std::numeric_limits<double>::infinity();
  size_t tasks = waiting_[static_cast<size_t>(stage)].size();
  for (const int k : all) tasks += (*this)[k].tasks();
  return static_cast<double>(tasks) / static_cast<double>(all.size());
}

int Peers::busiest_stage() const {
  int busiest = 0;
  for (int stage = 1; stage < static_cast<int>(waiting_.size()); ++stage)
    if (load(stage) > load(busiest)) busiest = stage;
  return busiest;
}

int Peers::calmest_stage() const {
  int calmest = nobody;
  for (int stage = 0; stage < static_cast<int>(waiting_.size()); ++stage)
    if (serving(stage).size() > 1 && (calmest == nobody || load(stage) < load(calmest)))
      calmest = stage;
  return calmest;
}

}  // namespace pipewright::swarm
