#include "interop/goal_circles.hpp"

#include <fmt/format.h>

#include <vector>

namespace pipewright::goal {
namespace {

constexpr uint32_t nothing = UINT32_MAX;

/// What has run of a trace, in no time at all.
class Progress {
 public:
  Progress(const Goal& goal, const Channels& channels)
      : goal_(goal),
        channels_(channels),
        first_(goal.ops.size() + 1),
        followers_(goal.dependencies.size()),
        waits_(goal.ops.size()),
        channel_of_(goal.ops.size(), nothing),
        started_(goal.ops.size()),
        ended_(goal.ops.size()),
        arrived_(goal.collectives.size()) {
    find_followers();
    for (uint32_t c = 0; c + 1 < channels.first.size(); ++c)
      for (uint32_t k = channels.first[c]; k < channels.first[c + 1]; ++k)
        channel_of_[channels.sends[k]] = channel_of_[channels.receives[k]] = c;
    is_sent_.resize(channels.first.size());
  }

  void run() {
    for (uint32_t op = 0; op < waits_.size(); ++op)
      if (waits_[op] == 0) ready_.push_back(op);
    while (!ready_.empty()) {
      const uint32_t op = ready_.back();
      ready_.pop_back();
      start(op);
      for (; !ending_.empty(); end_next()) continue;
    }
  }

  bool has_ended(uint32_t op) const { return ended_[op]; }

  /// By op that has not ended: one that it waits for, which has not ended either.
  std::vector<uint32_t> blockers() const {
    std::vector<uint32_t> blocker(goal_.ops.size(), nothing);
    for (const Dependency& d : goal_.dependencies)
      if (!started_[d.op] && !(d.on_start ? started_[d.on] : ended_[d.on])) blocker[d.op] = d.on;
    for (uint32_t op = 0; op < blocker.size(); ++op)
      if (started_[op] && !ended_[op]) blocker[op] = awaited(op);
    return blocker;
  }

 private:
  void find_followers() {
    for (const Dependency& d : goal_.dependencies) {
      ++first_[d.on + 1];
      ++waits_[d.op];
    }
    for (size_t op = 1; op < first_.size(); ++op) first_[op] += first_[op - 1];
    std::vector<uint32_t> next(first_.begin(), first_.end() - 1);
    for (const Dependency& d : goal_.dependencies) followers_[next[d.on]++] = d;
  }

  void release(uint32_t op, bool by_start) {
    for (uint32_t k = first_[op]; k < first_[op + 1]; ++k)
      if ((followers_[k].on_start != 0) == by_start && --waits_[followers_[k].op] == 0)
        ready_.push_back(followers_[k].op);
  }

  void start(uint32_t op) {
    started_[op] = true;
    release(op, true);
    const Op& one = goal_.ops[op];
    if (one.kind == Kind::recv && !is_sent_[channel_of_[op]]) return;
    if (one.kind != Kind::collective) return ending_.push_back(op);
    const std::vector<uint32_t>& members = goal_.collectives[one.peer].ops;
    if (++arrived_[one.peer] == members.size())
      ending_.insert(ending_.end(), members.begin(), members.end());
  }

  void end_next() {
    const uint32_t op = ending_.back();
    ending_.pop_back();
    ended_[op] = true;
    release(op, false);
    if (goal_.ops[op].kind == Kind::send) send(channel_of_[op]);
  }

  void send(uint32_t channel) {
    if (is_sent_[channel]) return;
    is_sent_[channel] = true;
    for (uint32_t k = channels_.first[channel]; k < channels_.first[channel + 1]; ++k)
      if (started_[channels_.receives[k]]) ending_.push_back(channels_.receives[k]);
  }

  /// The op of another rank that `op`, which has started, waits for.
  uint32_t awaited(uint32_t op) const {
    const Op& one = goal_.ops[op];
    if (one.kind == Kind::recv) return channels_.sends[channels_.first[channel_of_[op]]];
    for (const uint32_t member : goal_.collectives[one.peer].ops)
      if (!started_[member]) return member;
    return nothing;
  }

  const Goal& goal_;
  const Channels& channels_;
  std::vector<uint32_t> first_;  ///< of followers_, by op
  std::vector<Dependency> followers_;
  std::vector<uint32_t> waits_;       ///< by op: what it waits for and has not run
  std::vector<uint32_t> channel_of_;  ///< by op
  std::vector<bool> started_, ended_, is_sent_;
  std::vector<size_t> arrived_;  ///< members of each collective
  std::vector<uint32_t> ready_, ending_;
};

std::string said(const Goal& goal, uint32_t op) {
  return fmt::format("rank {}'s {}", goal.rank_of(op), goal.name(op));
}

[[noreturn]] void fail_with_circle(const Goal& goal, const std::vector<uint32_t>& blocker,
                                   uint32_t op) {
  std::vector<bool> seen(goal.ops.size());
  for (; !seen[op]; op = blocker[op]) seen[op] = true;
  constexpr int most_shown = 16;
  std::string text = said(goal, op);
  const uint32_t begin = op;
  int shown = 0;
  do {
    const bool is_message =
        goal.ops[op].kind == Kind::recv && goal.ops[blocker[op]].kind == Kind::send;
    op = blocker[op];
    text += ++shown > most_shown ? " waits for ..."
                                 : fmt::format(" waits for {}{}",
                                               is_message ? "the message of " : "", said(goal, op));
  } while (op != begin && shown <= most_shown);
  throw InputError(goal.where(begin), text + ": a circle");
}

}  // namespace

void check_messages(const Goal& goal, const Channels& channels) {
  Progress progress(goal, channels);
  progress.run();
  for (uint32_t op = 0; op < goal.ops.size(); ++op)
    if (!progress.has_ended(op)) fail_with_circle(goal, progress.blockers(), op);
}

}  // namespace pipewright::goal
