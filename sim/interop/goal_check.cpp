// Checks what must hold between the ops of a GOAL file before it can run.
#include <fmt/format.h>

#include <algorithm>

#include "interop/goal.hpp"

namespace pipewright::goal {
namespace {

/// A message seen from its receiver.
struct Message {
  uint64_t from_and_tag;
  uint32_t op;
  auto operator<=>(const Message&) const = default;
};

std::string describe(const Goal& goal, uint32_t op) {
  const Op& o = goal.ops[op];
  const bool sends = o.kind == Kind::send;
  return fmt::format("rank {}'s {} {} {} bytes {} rank {} with tag {}", goal.rank_of(op),
                     goal.name(op), sends ? "sends" : "receives", o.amount, sends ? "to" : "from",
                     o.peer, o.tag);
}

class Matching {
 public:
  explicit Matching(const Goal& goal) : goal_(goal) { sort_sends_by_receiver(); }

  Channels run() {
    std::vector<Message> receives;
    for (uint32_t rank = 0; rank < goal_.ranks.size(); ++rank) {
      receives.clear();
      const Rank& r = goal_.ranks[rank];
      for (uint32_t op = r.first; op < r.first + r.count; ++op)
        if (goal_.ops[op].kind == Kind::recv) receives.push_back({key(op, goal_.ops[op].peer), op});
      const auto begin = sends_.begin() + first_send_[rank];
      const auto end = sends_.begin() + first_send_[rank + 1];
      std::sort(begin, end);
      std::sort(receives.begin(), receives.end());
      match({begin, end}, receives);
    }
    channels_.first.push_back(static_cast<uint32_t>(channels_.sends.size()));
    return std::move(channels_);
  }

 private:
  uint64_t key(uint32_t op, uint32_t from) const {
    return uint64_t{from} << 32 | goal_.ops[op].tag;
  }

  void sort_sends_by_receiver() {
    first_send_.assign(goal_.ranks.size() + 1, 0);
    for (const Op& op : goal_.ops)
      if (op.kind == Kind::send) ++first_send_[op.peer + 1];
    for (size_t rank = 1; rank < first_send_.size(); ++rank)
      first_send_[rank] += first_send_[rank - 1];
    sends_.resize(first_send_.back());
    std::vector<uint32_t> next(first_send_.begin(), first_send_.end() - 1);
    for (uint32_t rank = 0; rank < goal_.ranks.size(); ++rank) {
      const Rank& r = goal_.ranks[rank];
      for (uint32_t op = r.first; op < r.first + r.count; ++op)
        if (goal_.ops[op].kind == Kind::send)
          sends_[next[goal_.ops[op].peer]++] = {key(op, rank), op};
    }
  }

  void match(std::span<const Message> sends, std::span<const Message> receives) {
    const size_t both = std::min(sends.size(), receives.size());
    for (size_t k = 0; k < both; ++k) {
      if (sends[k].from_and_tag < receives[k].from_and_tag) fail(sends[k].op);
      if (sends[k].from_and_tag > receives[k].from_and_tag) fail(receives[k].op);
      if (k == 0 || sends[k].from_and_tag != sends[k - 1].from_and_tag)
        channels_.first.push_back(static_cast<uint32_t>(channels_.sends.size()));
      channels_.sends.push_back(sends[k].op);
      channels_.receives.push_back(receives[k].op);
    }
    if (sends.size() > both) fail(sends[both].op);
    if (receives.size() > both) fail(receives[both].op);
  }

  [[noreturn]] void fail(uint32_t op) const {
    const bool sent = goal_.ops[op].kind == Kind::send;
    throw InputError(goal_.where(op),
                     fmt::format("{}, but there are more such {}", describe(goal_, op),
                                 sent ? "sends than receives" : "receives than sends"));
  }

  const Goal& goal_;
  std::vector<Message> sends_;        // by receiving rank
  std::vector<uint32_t> first_send_;  // by receiving rank
  Channels channels_;
};

/// Sizes that agree in some order; which one it is time decides.
bool can_agree(const Goal& goal, std::span<const uint32_t> sends,
               std::span<const uint32_t> receives) {
  const auto size = [&](uint32_t op) { return goal.ops[op].amount; };
  if (std::ranges::equal(sends, receives, {}, size, size)) return true;
  const auto sorted = [&](std::span<const uint32_t> ops) {
    std::vector<int64_t> sizes;
    for (const uint32_t op : ops) sizes.push_back(size(op));
    std::ranges::sort(sizes);
    return sizes;
  };
  return sorted(sends) == sorted(receives);
}

void check_channels(const Goal& goal, const Channels& channels) {
  for (size_t c = 0; c + 1 < channels.first.size(); ++c) {
    const size_t first = channels.first[c], count = channels.first[c + 1] - first;
    const std::span sends(&channels.sends[first], count),
        receives(&channels.receives[first], count);
    if (can_agree(goal, sends, receives)) continue;
    for (size_t k = 0; k < count; ++k) check_sizes(goal, sends[k], receives[k]);
  }
}

/// The ops that wait for each op, in one array.
struct Followers {
  std::vector<uint32_t> first, ops, waits;

  explicit Followers(const Goal& goal)
      : first(goal.ops.size() + 1), ops(goal.dependencies.size()), waits(goal.ops.size()) {
    for (const Dependency& d : goal.dependencies) {
      ++first[d.on + 1];
      ++waits[d.op];
    }
    for (size_t op = 1; op < first.size(); ++op) first[op] += first[op - 1];
    std::vector<uint32_t> next(first.begin(), first.end() - 1);
    for (const Dependency& d : goal.dependencies) ops[next[d.on]++] = d.op;
  }
  std::span<const uint32_t> of(uint32_t op) const {
    return {ops.data() + first[op], ops.data() + first[op + 1]};
  }
};

[[noreturn]] void fail_with_circle(const Goal& goal, const Followers& after,
                                   const std::vector<uint32_t>& waits) {
  constexpr uint32_t nothing = UINT32_MAX;
  std::vector<uint32_t> blocker(goal.ops.size(), nothing);
  uint32_t op = nothing;
  for (uint32_t o = 0; o < goal.ops.size(); ++o) {
    if (waits[o] == 0) continue;
    for (const uint32_t next : after.of(o)) blocker[next] = o;
    if (op == nothing) op = o;
  }
  std::vector<bool> seen(goal.ops.size());
  for (; !seen[op]; op = blocker[op]) seen[op] = true;
  std::string text = fmt::format("in rank {}, {}", goal.rank_of(op), goal.name(op));
  const uint32_t start = op;
  int shown = 0;
  do {
    op = blocker[op];
    text += ++shown > 16 ? " waits for ..." : fmt::format(" waits for {}", goal.name(op));
  } while (op != start && shown <= 16);
  throw InputError(goal.where(start), text + ": a circle");
}

void check_circles(const Goal& goal) {
  const Followers after(goal);
  std::vector<uint32_t> waits = after.waits, stack;
  for (uint32_t op = 0; op < waits.size(); ++op)
    if (waits[op] == 0) stack.push_back(op);
  size_t done = 0;
  for (; !stack.empty(); ++done) {
    const uint32_t op = stack.back();
    stack.pop_back();
    for (const uint32_t next : after.of(op))
      if (--waits[next] == 0) stack.push_back(next);
  }
  if (done < goal.ops.size()) fail_with_circle(goal, after, waits);
}

}  // namespace

void check_sizes(const Goal& goal, uint32_t send, uint32_t receive) {
  if (goal.ops[send].amount == goal.ops[receive].amount) return;
  const std::string place =
      goal.file_of_rank ? "" : fmt::format(" at line {}", goal.ops[send].line);
  throw InputError(goal.where(receive),
                   fmt::format("{}, but what comes is {} bytes: {}{}", describe(goal, receive),
                               goal.ops[send].amount, describe(goal, send), place));
}

Channels check(const Goal& goal) {
  Channels channels = Matching(goal).run();
  check_channels(goal, channels);
  check_circles(goal);
  return channels;
}

}  // namespace pipewright::goal
