#include "program/goal_program.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "base/error.hpp"

namespace pipewright {
namespace {

using goal::Goal;
using goal::Kind;

/// The ops that the ops of a trace become: `first` .. `last`, to which a send adds its message.
/// What comes after the start of one follows its first, what comes after its end its last.
class Numbering {
 public:
  explicit Numbering(const Goal& goal) : goal_(goal), start_is_awaited_(goal.ops.size()) {
    for (const goal::Dependency& d : goal.dependencies)
      if (d.on_start) start_is_awaited_[d.on] = goal.ops[d.on].kind != Kind::send;
    first_.reserve(goal.ops.size());
    uint64_t next = 0;
    for (uint32_t op = 0; op < goal.ops.size(); ++op) {
      first_.push_back(static_cast<OpId>(next));
      const Kind kind = goal.ops[op].kind;
      const bool two = kind == Kind::send || kind == Kind::collective;
      next += start_is_awaited_[op] || two ? 2 : 1;
    }
    count_ = next;
  }

  bool start_is_awaited(uint32_t op) const { return start_is_awaited_[op]; }
  OpId first(uint32_t op) const { return first_[op]; }
  OpId last(uint32_t op) const {
    const bool two = start_is_awaited_[op] || goal_.ops[op].kind == Kind::collective;
    return first_[op] + (two ? 1 : 0);
  }
  OpId message(uint32_t send) const { return first_[send] + 1; }
  uint64_t count() const { return count_; }
  uint32_t find(OpId op) const {
    return static_cast<uint32_t>(std::ranges::upper_bound(first_, op) - first_.begin()) - 1;
  }

 private:
  const Goal& goal_;
  std::vector<bool> start_is_awaited_;
  std::vector<OpId> first_;
  uint64_t count_ = 0;
};

class GoalLowering {
 public:
  GoalLowering(const Goal& goal, const goal::Channels& channels)
      : goal_(goal), channels_(channels), number_(goal) {
    program().types = {{.first = false, .last = false},
                       {.kind = OpKind::marker},
                       {.kind = OpKind::marker, .keeps_lane = true}};
    program().label_table = goal.label_table;
    builder_.reserve(number_.count());
    program().lengths.reserve(number_.count());
    program().labels.reserve(number_.count());
  }

  Program run() {
    add_ranks();
    for (uint32_t op = 0; op < goal_.ops.size(); ++op) add(op);
    for (const goal::Dependency& d : goal_.dependencies)
      builder_.depend(d.on_start ? number_.first(d.on) : number_.last(d.on), number_.first(d.op));
    for (uint32_t c = 0; c + 1 < channels_.first.size(); ++c) add_channel(c);
    for (const goal::Collective& one : goal_.collectives) add_collective(one);
    return std::move(builder_).finish();
  }

 private:
  enum Type : uint32_t { calc, instant, start_of_calc };

  Program& program() { return builder_.program; }

  void add_ranks() {
    rank_of_.resize(goal_.ops.size());
    lane_of_.resize(goal_.ops.size(), none);
    for (uint32_t rank = 0; rank < goal_.ranks.size(); ++rank) {
      const auto number = static_cast<int32_t>(rank);
      program().ranks.push_back({.pipeline = number, .device = number});
      add_lanes(rank);
    }
  }

  void add_lanes(uint32_t rank) {
    const auto add_lane = [&](Stream stream) {
      return builder_.add_lane(rank, stream, LanePolicy::ready_first);
    };
    std::array<LaneId, 256> of_cpu;
    of_cpu.fill(none);
    const std::span<const goal::Op> ops = goal_.ops_of(rank);
    const auto first_calc = std::ranges::find(ops, Kind::calc, &goal::Op::kind);
    of_cpu[first_calc == ops.end() ? 0 : first_calc->cpu] = add_lane(Stream::compute);
    for (size_t k = 0; k < ops.size(); ++k) {
      const size_t op = goal_.ranks[rank].first + k;
      rank_of_[op] = rank;
      if (ops[k].kind != Kind::calc && ops[k].kind != Kind::send) continue;
      LaneId& lane = of_cpu[ops[k].cpu];
      if (lane == none) lane = add_lane(Stream::tensor);
      lane_of_[op] = lane;
    }
  }

  void add(uint32_t op) {
    const goal::Op& o = goal_.ops[op];
    const Label label =
        goal_.labels[op] ? goal_.labels[op] : Label{table().add_prefix("op at line "), o.line};
    if (number_.start_is_awaited(op)) {
      const OpId start = add(op, o.kind == Kind::calc ? start_of_calc : instant, start_of(label));
      builder_.depend(start, start + 1);
      if (o.kind == Kind::calc) builder_.append(lane_of_[op], start);
    }
    const OpId id = add(op,
                        o.kind == Kind::calc   ? calc
                        : o.kind == Kind::recv ? type_of_receiver(o.amount)
                                               : instant,
                        label);
    if (o.kind == Kind::calc || o.kind == Kind::send) builder_.append(lane_of_[op], id);
    if (o.kind == Kind::collective) add(op, instant, label);
    if (o.kind == Kind::calc) program().lengths[id] = nanoseconds(o.amount);
    if (o.kind == Kind::send) builder_.depend(id, add(op, type_of_message(o.amount), label));
  }

  OpId add(uint32_t op, uint32_t type, Label label) {
    program().lengths.push_back({});
    program().labels.push_back(label);
    return builder_.add({.type = type, .rank = rank_of_[op], .peer = goal_.ops[op].peer});
  }

  LabelTable& table() { return program().label_table; }
  Label start_of(Label label) {
    return {table().add_prefix("start of " + table().text({label.prefix, Label::nothing})),
            label.number};
  }

  uint32_t type_of_message(int64_t bytes) { return type_of(messages_, OpKind::transfer, bytes); }
  uint32_t type_of_receiver(int64_t bytes) { return type_of(receivers_, OpKind::marker, bytes); }

  uint32_t type_of(std::unordered_map<int64_t, uint32_t>& types, OpKind kind, int64_t bytes) {
    const auto [found, is_new] =
        types.try_emplace(bytes, static_cast<uint32_t>(program().types.size()));
    if (is_new) program().types.push_back({.kind = kind, .bytes = {bytes}});
    return found->second;
  }

  void add_channel(uint32_t channel) {
    const uint32_t first = channels_.first[channel], end = channels_.first[channel + 1];
    if (end - first == 1) {
      builder_.depend(number_.message(channels_.sends[first]),
                      number_.last(channels_.receives[first]));
      return;
    }
    const LaneId lane = builder_.add_lane(goal_.ops[channels_.sends[first]].peer, Stream::data,
                                          LanePolicy::matching);
    for (uint32_t k = first; k < end; ++k) {
      builder_.append(lane, number_.message(channels_.sends[k]));
      builder_.append(lane, number_.last(channels_.receives[k]));
    }
  }

  void add_collective(const goal::Collective& one) {
    const uint32_t type = static_cast<uint32_t>(program().types.size());
    program().types.push_back({.kind = OpKind::collective,
                               .traffic = Traffic::data,
                               .collective = one.kind,
                               .bytes = one.bytes});
    const auto group = static_cast<uint32_t>(program().groups.size());
    program().groups.emplace_back(one.members.begin(), one.members.end());
    const OpId id = add(one.ops.front(), type, goal_.labels[one.ops.front()]);
    builder_.program.ops[id].peer = group;
    for (const uint32_t op : one.ops) {
      builder_.depend(number_.first(op), id);
      builder_.depend(id, number_.last(op));
    }
  }

  const Goal& goal_;
  const goal::Channels& channels_;
  Numbering number_;
  ProgramBuilder builder_;
  std::vector<uint32_t> rank_of_;                               // by op of the trace
  std::vector<LaneId> lane_of_;                                 // the same
  std::unordered_map<int64_t, uint32_t> messages_, receivers_;  // types by size
};

}  // namespace

Program lower_goal(const Goal& goal, const goal::Channels& channels) {
  return GoalLowering(goal, channels).run();
}

uint32_t goal_op(const Goal& goal, OpId op) { return Numbering(goal).find(op); }

}  // namespace pipewright
