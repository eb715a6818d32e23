#include "engine/swarm_wiring.hpp"

#include <algorithm>

namespace pipewright::swarm {

void Wiring::begin(int micro_batch) {
  path_[micro_batch].assign(static_cast<size_t>(plan_.stages), nobody);
  wire({.micro_batch = micro_batch});
}

void Wiring::wire(const Task& task) {
  int& before = path_.at(task.micro_batch)[static_cast<size_t>(task.stage)];
  int to = task.backward ? before : nobody;
  const bool is_back = to != nobody && peers_[to].ready && peers_[to].stage == task.stage;
  if (!is_back) to = peers_.least_expected(task.stage);
  if (to == nobody) {
    peers_.waiting(task.stage).push_back(task);
    return;
  }
  peers_[to].expected += peers_.expectation(to);
  const bool needs_input = task.backward && !is_back && task.stage > 0;
  before = to;
  send(task, to, needs_input);
}

Bytes Wiring::input_bytes(const Task& task) const {
  const bool begins_anew = task.backward && task.stage + 1 == plan_.stages;  // from the loss
  if (task.from == nobody || begins_anew) return {};                         // from tokens
  return task.backward ? plan_.backward_output[static_cast<size_t>(task.stage) + 1]
                       : plan_.forward_output[static_cast<size_t>(task.stage) - 1];
}

void Wiring::send(const Task& task, int to, bool with_input) {
  Bytes bytes = input_bytes(task);
  if (with_input) bytes += plan_.forward_output[static_cast<size_t>(task.stage) - 1];
  Time end = events_.now();
  if (task.from != nobody && task.from != to)
    end = message({.from = task.from,
                   .to = to,
                   .bytes = bytes,
                   .stage = task.stage,
                   .micro_batch = task.micro_batch,
                   .backward = task.backward});
  events_.at(end, {.what = What::arrives, .peer = to, .task = task});
}

Time Wiring::message(SwarmMessage message) {
  Peer &from = peers_[message.from], &to = peers_[message.to];
  const Time all = plan_.transfer(message.from, message.to, message.bytes);
  const Time moving = all - plan_.transfer(message.from, message.to, {});
  message.start = std::max({events_.now(), from.send_free, to.receive_free});
  if (all > longest_time - message.start) return longest_time;
  from.send_free = to.receive_free = message.start + moving;
  message.end = message.start + all;
  messages_.push_back(message);
  return message.end;
}

}  // namespace pipewright::swarm
